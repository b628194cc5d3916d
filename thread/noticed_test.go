package thread_test

import (
	"context"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// A function whose context is done before it is queued counts as withdrawn: at once, or while it
// waits for a place; but not a call in place, which would never have been queued.
func TestStats_countsWhatIsGivenUpBeforeItIsQueued(t *testing.T) {
	eachCounted(t, func(t *testing.T, th runner) {
		other := start(t)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		withdrawn := uint64(0)
		check := func(what string, more uint64) {
			t.Helper()
			withdrawn += more
			if s := th.Stats(); s.Withdrawn != withdrawn || s.Refused != 0 {
				t.Errorf("%s: %d withdrawn and %d refused, want %d and none", what, s.Withdrawn, s.Refused,
					withdrawn)
			}
		}
		post := func() { _ = th.GoContext(ended, nop) }
		post()
		check("a post", 1)
		th.Call(post)
		check("its own post", 1)
		th.Call(func() { _ = th.CallContext(ended, nop) })
		check("a call in place", 0)
		g := occupy(t, th.Go)
		th.Go(nop)
		for what, call := range map[string]func(func()) bool{
			"a post that waits":              func(f func()) bool { f(); return true },
			"a post of a thread, that waits": other.Call,
		} {
			ctx, cancel := context.WithCancel(context.Background())
			posted := make(chan error, 1)
			go call(func() { posted <- th.GoContext(ctx, nop) })
			eventually(t, func() bool { return th.Stats().Queued == 2 }, "it waits for a place")
			cancel()
			if err := testutil.Arrives(t, posted); err != context.Canceled {
				t.Errorf("%s: %v", what, err)
			}
			check(what, 1)
		}
		g.Open()
	}, thread.WithQueueLimit(1))
}

func TestSlowCall_saysForHowLongAndWhere(t *testing.T) {
	const long = 1234567 * time.Microsecond
	for want, s := range map[string]thread.SlowCall{
		"run for 1.235s on thread 7":          {TID: 7, Running: long},
		"waited for 1.235s for thread 7":      {TID: 7, Waiting: long},
		"run for 1.235s on thread 7 (gl)":     {Name: "gl", TID: 7, Running: long},
		"waited for 1.235s for thread 7 (gl)": {Name: "gl", TID: 7, Waiting: long},
	} {
		if got := s.String(); got != "thread: a function has "+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
