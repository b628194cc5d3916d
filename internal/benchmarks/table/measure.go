package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/threadcall/threadcall/internal/benchmarks"
	"github.com/threadcall/threadcall/internal/workload"
)

// samples are the results of a load, one each a round. There are none of a peer that cannot be measured.
type samples struct{ threadcall, reference, floor []workload.Result }

// measure takes turns, so that a minute in which the machine is slower is one for all, and each round in the opposite
// order of the one before.
func (l load) measure(rounds int, d time.Duration, progress io.Writer) (s samples, err error) {
	fmt.Fprintf(progress, "%-15s", l.name)
	defer fmt.Fprintln(progress)

	type turn struct {
		results *[]workload.Result
		run     func(x workload.Extent) (r workload.Result, ok bool)
	}
	turns := []turn{{&s.threadcall, on(benchmarks.Threadcall, l.run)}}
	if !l.noReference {
		turns = append(turns, turn{&s.reference, on(benchmarks.Reference, l.run)})
	}
	if l.floor != nil {
		turns = append(turns, turn{&s.floor, l.floor})
	}
	x := workload.Extent{D: d * time.Duration(max(l.longer, 1))}
	for round := range rounds {
		for _, t := range turns {
			end, err := l.prepare()
			if err != nil {
				return s, err
			}
			r, ok := t.run(x)
			end()
			if ok {
				*t.results = append(*t.results, r)
			}
		}
		slices.Reverse(turns)
		fmt.Fprint(progress, " ", round+1)
	}
	return s, nil
}

func (l load) prepare() (end func(), err error) {
	end = func() {}
	if l.around != nil {
		if end, err = l.around(); err != nil {
			return nil, err
		}
	}
	runtime.GC() // what others left behind is not for the next one to pay
	return end, nil
}

func on(s benchmarks.Subject, run workload.Pattern) func(x workload.Extent) (workload.Result, bool) {
	return func(x workload.Extent) (workload.Result, bool) {
		subject, end := s.Open()
		defer end()
		subject.Call(func() {}) // the thread is there
		return run(subject, x), true
	}
}
