package thread_test

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

func labelled(work string) context.Context {
	return pprof.WithLabels(context.Background(), pprof.Labels("work", work))
}

var oneAtATime sync.Mutex

// labels returns the profiler labels of the calling goroutine, as the goroutine profile has them:
// "" or {"work":"a"}.
func labels() string {
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	return labelsOfCaller()
}

//go:noinline
func labelsOfCaller() string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return err.Error()
	}
	for _, record := range strings.Split(profile.String(), "\n\n") {
		if strings.Contains(record, "thread_test.labelsOfCaller") {
			_, rest, _ := strings.Cut(record, "# labels: ")
			line, _, _ := strings.Cut(rest, "\n")
			return line
		}
	}
	return "the profile does not have the goroutine"
}

const (
	ofA  = `{"work":"a"}`
	ofB  = `{"work":"b"}`
	none = ""
)

// seen is a list of labels, each with where it was seen.
type seen []string

func (s *seen) at(where string) { *s = append(*s, where+" "+labels()) }

func (s seen) check(t *testing.T, name string, want ...string) {
	t.Helper()
	if !slices.Equal(s, want) {
		t.Errorf("%s: labels are %q, want %q", name, s, want)
	}
}

func TestCallContext_labels(t *testing.T) {
	th, p := start(t), startPool(t, 1)
	for name, on := range map[string]interface {
		thread.Caller
		Call(f func()) bool
		Go(f func()) bool
	}{"thread": th, "pool": p} {
		call := func(ctx context.Context, f func()) {
			t.Helper()
			if err := on.CallContext(ctx, f); err != nil {
				t.Error(err)
			}
		}
		after := func(what string, want ...string) {
			t.Helper()
			s := seen{}
			on.Call(func() { s.at("after") })
			s.check(t, name+" after "+what, "after "+none)
		}
		var s seen
		call(labelled("a"), func() { s.at("a") })
		call(context.Background(), func() { s.at("background") })
		call(t.Context(), func() { s.at("context") })
		s.check(t, name, "a "+ofA, "background ", "context ")
		after("a call")

		s = nil // in place
		call(labelled("a"), func() {
			call(labelled("b"), func() {
				s.at("b")
				call(labelled("a"), func() { s.at("a") })
				on.Call(func() { s.at("b") })
				s.at("b")
			})
			call(context.Background(), func() { s.at("a") })
			s.at("a")
		})
		s.check(t, name+" in place", "b "+ofB, "a "+ofA, "b "+ofB, "b "+ofB, "a "+ofA, "a "+ofA)
		after("calls in place")

		for what, f := range map[string]func(){"a panic": func() { panic("x") },
			"Goexit": runtime.Goexit} {
			fails := func(ctx context.Context) {
				defer func() { _ = recover() }()
				call(ctx, f)
			}
			exits(t, func() { fails(labelled("a")) })
			after(what)
			if what == "Goexit" {
				continue // which ends the outer function as well
			}
			s = nil
			call(labelled("a"), func() { fails(labelled("b")); s.at("a") })
			s.check(t, name+" after "+what+" in place", "a "+ofA)
			after(what + " in place")
		}

		// what the thread has posted to itself is not the work of the function that it runs before
		s = nil
		call(labelled("a"), func() {
			on.Go(func() { s.at("posted") })
			call(labelled("b"), func() { s.at("b") })
			s.at("a")
		})
		on.Call(nop)
		if name == "thread" {
			s.check(t, name, "posted ", "b "+ofB, "a "+ofA)
		}
		after("a function posted by the thread")
	}
}

// A thread does not begin with the labels of what made it, and a call does not change those of its
// caller.
func TestNew_labels(t *testing.T) {
	var s seen
	pprof.Do(context.Background(), pprof.Labels("work", "b"), func(context.Context) {
		th, p := start(t), startPool(t, 1)
		th.Call(func() { s.at("thread") })
		p.Call(func() { s.at("pool") })
		_ = th.CallContext(labelled("a"), nop)
		s.at("caller")
	})
	s.check(t, "New", "thread ", "pool ", "caller "+ofB)
}

// In a cycle, a thread that waits in a function with labels runs another with those of its own
// call.
func TestCallContext_labelsInCycle(t *testing.T) {
	a, b := start(t), start(t)
	var s seen
	call := func(th *thread.Thread, ctx context.Context, f func()) {
		if err := th.CallContext(ctx, f); err != nil {
			t.Error(err)
		}
	}
	ends(t, func() {
		call(a, labelled("a"), func() {
			call(b, labelled("b"), func() {
				s.at("b")
				a.Call(func() { s.at("none") })
				call(a, labelled("b"), func() { s.at("b") })
				s.at("b")
			})
			s.at("a")
		})
		for _, th := range []*thread.Thread{a, b} {
			th.Call(func() { s.at("none") })
		}
	})
	s.check(t, "a cycle", "b "+ofB, "none ", "b "+ofB, "b "+ofB, "a "+ofA, "none ", "none ")
}
