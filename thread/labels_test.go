package thread_test

import (
	"bytes"
	"context"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
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
func TestCallContext_labels(t *testing.T) {
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
		if want := []string{"", ofA, ofB, ofB, ofA, ""}; !slices.Equal(seen, want) {
			t.Errorf("labels are %q, want %q", seen, want)
		}
	}
	if l := labels(); l != "" {
		t.Errorf("the caller has the labels %s", l)
	}
}
