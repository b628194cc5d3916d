package main

import (
	"fmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/internal/bench"
)

// nineFields makes as many structs as the article's tests do, and compares copies with pointers.
func nineFields(l *lab) (section, error) {
	variants := []struct {
		name, job string
		work      func(n int)
		ns        float64 // in the article
		cost      cost    // in the article
	}{
		{"copied", "copied", copies, 5.20, cost{}},
		{"pointed to", "pointed", pointers, 52.6, cost{80, 1}},
	}
	s, err := l.measure(l.pointers, bench.Timed("", copies), bench.Timed("", pointers))
	if err != nil {
		return section{}, err
	}
	var costs [2]cost
	var traces [2]*report.Report
	var times [][]string
	for i, v := range variants {
		costs[i] = costOf(l.allocs, func() { v.work(1) })
		if traces[i], err = (job{Name: v.job, N: l.pointers}).trace(); err != nil {
			return section{}, err
		}
		times = append(times, []string{v.name, duration(v.ns), s[i].median().time(), v.cost.String(), costs[i].String()})
	}
	var rows [][]string
	for _, r := range []struct {
		name string
		of   func(*report.Report) string
	}{
		{"heap, most at a time", func(t *report.Report) string {
			if t.Table.Heap == 0 {
				return "—" // it is in the trace only when it changes
			}
			return whole(float64(t.Table.Heap)/1024) + " KiB"
		}},
		{"bgsweep", func(t *report.Report) string { return duration(float64(t.Table.BgSweep)) }},
		{"bgsweep, executions", func(t *report.Report) string { return whole(sweeps(t)) }},
		{"STW", func(t *report.Report) string { return duration(float64(t.Table.STW)) }},
		{"STW, how often", func(t *report.Report) string { return whole(t.Stops.All.N) }},
		{"collections", func(t *report.Report) string { return whole(t.GC.Cycles) }},
	} {
		rows = append(rows, []string{r.name, r.of(traces[0]), r.of(traces[1])})
	}
	took := func(i int) string { return duration(s[i].median().centre * float64(l.pointers)) }
	ratio, copied, pointed := s[1].over(s[0]), traces[0], traces[1]
	return section{
		about: "A function that is not inlined makes a struct of three ints, three strings and three bools, and returns it or a pointer to it, as the tests of " +
			understanding + " do. Its traces have 41 and 406,965 goroutines, a heap of 10 and 197,549 and 15 and 12,943 threads, copied and pointed to: " +
			"these seem to be numbers of events.",
		tables: []string{
			table([]string{"a call", "the article", "here", "from the heap, the article", "from the heap, here"}, times),
			table([]string{"in a trace of " + whole(l.pointers) + " calls", "copied", "pointed to"}, rows),
		},
		claims: []claim{
			{"pointed to, it costs 80 B in 1", costs[1].String(), same(costs[1].bytes, 80)},
			{"and takes 10.1 times as long as copied", ratio.String() + " times", ratio.above(1)},
			{"20,000,000 times, the test takes 0.281 s copied and 2.224 s pointed to, 7.9 times as long",
				fmt.Sprintf("%s times, %s and %s, %s times as long", whole(l.pointers), took(0), took(1), ratio), ratio.above(1)},
			{"bgsweep runs 193,094 times with the pointer, never with the copy",
				fmt.Sprintf("%s and %s times", whole(sweeps(pointed)), whole(sweeps(copied))), holds(sweeps(pointed) > sweeps(copied))},
			{"the world is stopped 397 times with the pointer, never with the copy",
				fmt.Sprintf("%s and %s times", whole(pointed.Stops.All.N), whole(copied.Stops.All.N)), holds(pointed.Stops.All.N > copied.Stops.All.N)},
		},
	}, nil
}

// nine has nine fields and 75 bytes, for which the allocator takes 80.
type nine struct {
	i, j, k int
	s, t, u string
	x, y, z bool
}

//go:noinline
func copied() nine { return nine{1, 2, 3, "one", "two", "three", true, false, true} }

//go:noinline
func pointed() *nine { return &nine{1, 2, 3, "one", "two", "three", true, false, true} }

func copies(n int) {
	for range n {
		_ = copied()
	}
}

func pointers(n int) {
	for range n {
		_ = pointed()
	}
}
