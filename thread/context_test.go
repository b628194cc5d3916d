package thread_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func TestADeadlineBeforeTheFunctionBeginsKeepsItFromRunning(t *testing.T) {
	th := start(t)
	busy := occupy(t, th.Go)
	var ran atomic.Bool
	for name, c := range map[string]struct {
		make func() (context.Context, context.CancelFunc)
		want error
	}{
		"deadline": {func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 5*time.Millisecond)
		}, context.DeadlineExceeded},
		"cancel": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*time.Millisecond, cancel)
			return ctx, cancel
		}, context.Canceled},
		"done already": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, cancel
		}, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := c.make()
			defer cancel()
			ends(t, func() {
				if err := th.CallContext(ctx, func() { ran.Store(true) }); err != c.want {
					t.Errorf("CallContext returned %v, want %v", err, c.want)
				}
			})
		})
	}
	busy.Open()
	th.Call(nop)
	if ran.Load() {
		t.Error("a function ran although its caller was told that it did not")
	}
}

func TestADeadlineThatOnlyTheThreadSeesKeepsTheFunctionFromRunning(t *testing.T) {
	th := start(t)
	busy := occupy(t, th.Go)
	ctx := &silentContext{Context: context.Background()}
	result := make(chan error)
	go func() {
		result <- th.CallContext(ctx, func() { t.Error("the function ran after its context was done") })
	}()
	time.Sleep(5 * time.Millisecond)
	ctx.done.Store(true)
	busy.Open()
	if err := arrives(t, result); err != context.Canceled {
		t.Errorf("CallContext returned %v, want %v", err, context.Canceled)
	}
}

// A silentContext becomes done without telling those who wait.
type silentContext struct {
	context.Context
	done atomic.Bool
}

func (c *silentContext) Done() <-chan struct{} { return nil }

func (c *silentContext) Err() error {
	if c.done.Load() {
		return context.Canceled
	}
	return nil
}

func TestOnceTheFunctionHasBegunCallContextWaitsForItsEnd(t *testing.T) {
	th := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	begun, release := make(chan bool), make(chan bool)
	result := make(chan error, 1)
	go func() { result <- th.CallContext(ctx, func() { close(begun); <-release }) }()
	arrives(t, begun)
	cancel()
	select {
	case err := <-result:
		t.Errorf("CallContext returned %v while its function ran", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	if err := arrives(t, result); err != nil {
		t.Errorf("CallContext returned %v after its function had run", err)
	}
}

func TestCallContextTellsTerminatedFromNil(t *testing.T) {
	th := thread.New()
	if err := th.CallContext(t.Context(), nil); err == nil || errors.Is(err, thread.ErrTerminated) {
		t.Errorf("for a nil function CallContext returned %v", err)
	}
	th.Terminate()
	if err := th.CallContext(t.Context(), nop); err != thread.ErrTerminated {
		t.Errorf("on a terminated thread CallContext returned %v", err)
	}
}

func TestANestedCallContextLooksAtItsContextFirst(t *testing.T) {
	th := start(t)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	th.Call(func() {
		if err := th.CallContext(done, func() { t.Error("ran after its context was done") }); err != context.Canceled {
			t.Errorf("CallContext returned %v", err)
		}
		ran := false
		if err := th.CallContext(t.Context(), func() { ran = true }); err != nil || !ran {
			t.Errorf("ran: %v, error: %v", ran, err)
		}
	})
}

func TestANestedCallContextLooksAgainAfterWhatWasPostedBefore(t *testing.T) {
	th := start(t)
	th.Call(func() {
		ctx, cancel := context.WithCancel(t.Context())
		th.Go(cancel)
		if err := th.CallContext(ctx, func() { t.Error("ran") }); err != context.Canceled {
			t.Errorf("CallContext returned %v", err)
		}
	})
}

func TestADeadlineAtTheVeryMomentTheFunctionBegins(t *testing.T) {
	r := seeded(t)
	th := start(t)
	ran, gaveUp := 0, 0
	ends(t, func() {
		for range scaled(20000) {
			ctx, cancel := context.WithCancel(context.Background())
			delay, work := r.IntN(300), r.IntN(300)
			th.Go(func() { spin(work) })
			go func() { spin(delay); cancel() }()
			runs := 0 // the race detector sees it if the function still runs when CallContext returns
			err := th.CallContext(ctx, func() { runs++ })
			switch {
			case err == nil && runs == 1:
				ran++
			case err == context.Canceled && runs == 0:
				gaveUp++
			default:
				t.Errorf("the function ran %d times, and CallContext returned %v", runs, err)
				return
			}
		}
	})
	t.Logf("%d ran, %d gave up", ran, gaveUp)
}

var spun atomic.Int64

func spin(n int) {
	for range n {
		spun.Add(1)
	}
}

func TestThoseThatGaveUpLeaveNothingBehind(t *testing.T) {
	th := start(t)
	busy := occupy(t, th.Go)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	var errs [100]error
	for i := range errs {
		errs[i] = th.CallContext(ctx, func() { t.Error("ran") })
	}
	order := make(chan int, 2)
	th.Go(func() { order <- 1 })
	th.Go(func() { order <- 2 })
	busy.Open()
	if a, b := arrives(t, order), arrives(t, order); a != 1 || b != 2 {
		t.Errorf("what was queued behind them ran in the order %d, %d", a, b)
	}
	for _, err := range errs {
		if err != context.DeadlineExceeded {
			t.Errorf("CallContext returned %v", err)
		}
	}
}
