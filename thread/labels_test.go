package thread_test

import (
	"bytes"
	"context"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

func labelled(work string) context.Context {
	return pprof.WithLabels(context.Background(), pprof.Labels("work", work))
}

// labels returns the profiler labels of the calling goroutine, as the goroutine profile has them:
// "" or {"work":"a"}.
//
//go:noinline
func labels() string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return err.Error()
	}
	for _, record := range strings.Split(profile.String(), "\n\n") {
		if strings.Contains(record, "thread_test.labels") {
			_, rest, _ := strings.Cut(record, "# labels: ")
			line, _, _ := strings.Cut(rest, "\n")
			return line
		}
	}
	return "the profile does not have the goroutine"
}

const (
	ofA = `{"work":"a"}`
	ofB = `{"work":"b"}`
)

// A function runs under the labels of its call's context, and a thread does not have those of what
// made it. What panics, coroutines and cycles do to them, the random programs check.
func TestCallContext_carriesLabels(t *testing.T) {
	var ways map[string]way
	pprof.Do(context.Background(), pprof.Labels("work", "b"), func(context.Context) {
		ways = both(t)
	})
	for _, w := range ways {
		var seen []string
		see := func() { seen = append(seen, labels()) }
		w.Call(see)
		_ = w.CallContext(labelled("a"), func() {
			see()
			_ = w.CallContext(labelled("b"), func() { see(); w.Call(see) })
			_ = w.CallContext(context.Background(), see)
		})
		_ = w.CallContext(t.Context(), see)
		_, _ = thread.EvalContext(labelled("a"), w.runner, func() error { see(); return nil })
		if want := []string{"", ofA, ofB, ofB, ofA, "", ofA}; !slices.Equal(seen, want) {
			t.Errorf("labels are %q, want %q", seen, want)
		}
	}
	if l := labels(); l != "" {
		t.Errorf("the caller has the labels %s", l)
	}
}

// The name of a thread is a label of what runs there, whatever labels callers and functions set.
func TestWithName_isALabel(t *testing.T) {
	kept := thread.New(thread.WithName("gl"), thread.WithKeep())
	p := startPool(t, 1, thread.WithName("a pool with a long name"))
	for thread, w := range map[string]runner{
		"gl": kept, "a pool with a-0": p, "a name that Linux cuts": start(t,
			thread.WithName("a name that Linux cuts"))} {
		name := `"thread":"` + thread + `"`
		var seen []string
		see := func() { seen = append(seen, labels()) }
		w.Call(see)
		for range 2 {
			_ = w.CallContext(labelled("a"), func() {
				see()
				_ = w.CallContext(labelled("b"), see)
				see()
			})
		}
		_ = w.CallContext(pprof.WithLabels(labelled("a"), pprof.Labels("thread", "other")), see)
		w.Call(see)
		only, withA, withB := "{"+name+"}", "{"+name+`, "work":"a"}`, "{"+name+`, "work":"b"}`
		if want := []string{only, withA, withB, withA, withA, withB, withA, withA,
			only}; !slices.Equal(seen, want) {
			t.Errorf("labels are %q, want %q", seen, want)
		}
		w.Call(func() { pprof.Do(t.Context(), pprof.Labels("work", "a"), func(context.Context) {}) })
		eventually(t, func() bool { seen = nil; w.Call(see); return seen[0] == only },
			"a thread that has waited has its label again")
	}
	kept.Close()
	again := thread.New(thread.WithKeep())
	defer again.Terminate()
	if l := thread.MustEval(again, labels); l != "" {
		t.Errorf("a thread without a name has the labels %s", l)
	}
	for how, adopt := range map[string]func() *thread.Loop{
		"Adopt": func() *thread.Loop { return thread.Adopt(thread.WithName("ui")) },
		"NewLoop": func() *thread.Loop {
			l := thread.NewLoop(thread.WithName("ui"))
			if err := l.Adopt(); err != nil {
				t.Errorf("Adopt: %v", err)
			}
			return l
		},
	} {
		ends(t, func() {
			l := adopt()
			defer l.Close()
			_ = l.Thread().CallContext(labelled("a"), func() {
				if l := labels(); l != `{"thread":"ui", "work":"a"}` {
					t.Errorf("%s: the labels on an adopted thread are %s", how, l)
				}
			})
		})
	}
}

// While a Loop serves a context with labels, functions without labels have those, and its goroutine
// keeps them: they are its own if it goes by the rules of package pprof.
func TestServeContext_hasItsLabels(t *testing.T) {
	ends(t, func() {
		l := thread.Adopt()
		defer l.Close()
		ctx, cancel := context.WithCancel(labelled("b"))
		var seen []string
		see := func() { seen = append(seen, labels()) }
		go func() {
			l.Thread().Call(see)
			_ = l.Thread().CallContext(labelled("a"), see)
			l.Thread().Call(see)
			cancel()
		}()
		_ = l.ServeContext(ctx)
		if see(); !slices.Equal(seen, []string{ofB, ofA, ofB, ofB}) {
			t.Errorf("labels are %q", seen)
		}
	})
}
