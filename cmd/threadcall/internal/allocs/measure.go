package allocs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// How often a benchmark is measured: again until two measurements agree, but not more often.
const (
	fewestPairs = 2
	mostPairs   = 5
	headlines   = 3 // of one process
	mostHeads   = 3 // processes
)

// A Headline is what go test -benchmem prints for a benchmark, by runs without a profile.
type Headline struct {
	Bytes  Interval `json:"bytes"`
	Allocs Interval `json:"allocs"`
	Runs   int      `json:"runs"`
	N      int      `json:"n"` // operations of the last of them
}

// An Interval is of the same figure in several runs.
type Interval struct {
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

func interval(values []float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	values = slices.Sorted(slices.Values(values))
	return Interval{values[0], values[len(values)/2], values[len(values)-1]}
}

// Stable reports whether all runs had the same.
func (i Interval) Stable() bool { return i.Low == i.High }

// measure runs one benchmark until what it allocates is stable.
func (s Settings) measure(ctx context.Context, r *Report, bin *binary, b trial, std func(string) bool) (*Run, error) {
	n := s.operations(b.time)
	run := &Run{Package: bin.pkg, Name: b.name, PerOp: true, Operations: []int{n, 2 * n}}
	if !s.Budget {
		s.Progress(fmt.Sprintf("%s %s, as go test -benchmem", bin.pkg, b.name))
		h, err := s.headline(ctx, bin, b.name)
		if err != nil {
			return nil, err
		}
		run.Headline = h
	}
	s.Progress(fmt.Sprintf("%s %s, %d and %d operations", bin.pkg, b.name, n, 2*n))
	for {
		m, err := s.difference(ctx, bin, b.name, n, std)
		if err != nil {
			return nil, err
		}
		run.repetitions = append(run.repetitions, *m)
		if s.enough(r, run) {
			break
		}
	}
	var objects []float64
	for _, m := range run.repetitions {
		objects = append(objects, m.Counted.Objects)
	}
	run.Measured = interval(objects)
	at := slices.IndexFunc(run.repetitions, func(m heap.Samples) bool { return m.Counted.Objects == run.Measured.Median })
	run.profile = run.repetitions[at]
	return run, nil
}

// difference measures a benchmark once, by n and 2n operations.
func (s Settings) difference(ctx context.Context, bin *binary, name string, n int, std func(string) bool) (*heap.Samples, error) {
	short, err := s.profileBenchmark(ctx, bin, name, n)
	if err != nil {
		return nil, err
	}
	long, err := s.profileBenchmark(ctx, bin, name, 2*n)
	if err != nil {
		return nil, err
	}
	m := heap.Difference(short, long, n, n, std)
	return &m, nil
}

// enough reports whether the benchmark was measured often enough.
func (s Settings) enough(r *Report, run *Run) bool {
	all := run.repetitions
	last := all[len(all)-1]
	if s.Budget { // what no measurement accuses needs no other
		return len(all) >= 3 || !r.Budget.Suspects(last)
	}
	if len(all) < fewestPairs {
		return false
	}
	return len(all) >= mostPairs || slices.ContainsFunc(all[:len(all)-1], func(m heap.Samples) bool {
		d := math.Abs(m.Counted.Objects - last.Counted.Objects)
		return d < 0.01 || d*float64(last.More) < 4 || d < 0.005*math.Abs(last.Counted.Objects)
	})
}

// headline runs a benchmark without a profile, as go test -benchmem does, until its figures are stable.
func (s Settings) headline(ctx context.Context, b *binary, name string) (*Headline, error) {
	h := &Headline{}
	var bytes, allocs []float64
	time := s.Duration.String()
	if s.Operations > 0 {
		time = strconv.Itoa(s.Operations) + "x"
	}
	for range mostHeads {
		r, err := s.run(ctx, b, "-test.run=^$", "-test.bench="+exactly(name), "-test.benchmem", "-test.benchtime="+time,
			"-test.count="+strconv.Itoa(headlines))
		if err != nil {
			return nil, err
		}
		lines, _, _ := gotest.ParseResults(r.Stdout)
		for _, l := range lines {
			size, ok := l.Result.Value("B/op")
			count, both := l.Result.Value("allocs/op")
			if ok && both {
				bytes, allocs, h.N = append(bytes, size), append(allocs, count), l.Result.Iters
			}
		}
		h.Bytes, h.Allocs, h.Runs = interval(bytes), interval(allocs), len(bytes)
		if h.Bytes.Stable() && h.Allocs.Stable() {
			break
		}
	}
	if h.Runs == 0 {
		return nil, &gotest.Failure{Problem: "it printed no figures of -benchmem"}
	}
	return h, nil
}

// account adds a row for what the headline has and no other row: the rows and the headline then come to the same.
func (r *Run) account() {
	if r.Headline == nil {
		return
	}
	missing := heap.Amount{Objects: r.Headline.Allocs.Median - r.Total.Objects, Bytes: r.Headline.Bytes.Median - r.Total.Bytes}
	// The headline is in whole numbers, rounded down.
	if missing.Objects > -1 && missing.Objects < 0.5 && missing.Bytes > -max(1, r.Total.Bytes/100) && missing.Bytes < max(1, r.Total.Bytes/100) {
		return
	}
	r.Rows = append(r.Rows, Row{Kind: Unattributed, Amount: missing, Why: r.whyMissing(missing)})
	r.Unattributed = missing
}

// Unattributed is the kind of the row that has what belongs to no place.
const Unattributed = "not attributed"

func (r *Run) whyMissing(missing heap.Amount) string {
	once := r.Once.Bytes / float64(max(r.Headline.N, 1))
	switch {
	case missing.Objects < -0.5 || missing.Bytes < 0:
		return fmt.Sprintf("the profile has more than go test -benchmem, which ran up to %d operations: an operation allocates less in longer runs, or while the timer is stopped in another package", r.Headline.N)
	case r.profile.Hidden >= 0.5 && r.shared():
		return fmt.Sprintf("objects smaller than 16 bytes, which share blocks with those of rows marked +; the runtime counted %.3g more", r.profile.Hidden)
	case once >= 1:
		return fmt.Sprintf("what is allocated once, %.0f B, divided by the %d operations of go test -benchmem, and what grows with them", r.Once.Bytes, r.Headline.N)
	}
	return "package testing's own, and what the runtime allocates for other goroutines"
}
