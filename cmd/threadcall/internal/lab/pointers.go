package main

import (
	"fmt"

	"github.com/threadcall/threadcall/internal/bench"
)

// A variant is one way to write a function, with what the article measured of it.
type variant struct {
	name, job string
	work      func(n int)
	ns        float64
	cost      cost
}

// A compared variant is one with what was found.
type compared struct {
	variant
	series
	here  cost
	trace traceReport
}

// compare times variants in samples of n calls, or of the usual length if n is zero, counts what they allocate, and
// traces each in a process of its own.
func (l *lab) compare(n int, variants ...variant) (all []compared, times string, err error) {
	var contenders []bench.Contender
	for _, v := range variants {
		contenders = append(contenders, bench.Timed("", v.work))
	}
	s, err := l.measure(n, contenders...)
	if err != nil {
		return nil, "", err
	}
	var rows [][]string
	for i, v := range variants {
		c := compared{variant: v, series: s[i], here: costOf(l.allocs, func() { v.work(1) })}
		if c.trace, err = l.tracer.report(job{Name: v.job, N: l.pointers}); err != nil {
			return nil, "", err
		}
		all = append(all, c)
		rows = append(rows, []string{v.name, duration(v.ns), s[i].median().time(), v.cost.String(), c.here.String()})
	}
	return all, table([]string{"a call", "the article", "here", "from the heap, the article", "from the heap, here"}, rows), nil
}

// traces writes the table of the article's kind.
func (l *lab) traces(all []compared) string {
	head := []string{"in a trace of " + whole(l.pointers) + " calls"}
	for _, c := range all {
		head = append(head, c.name)
	}
	var rows [][]string
	for _, r := range []struct {
		name string
		of   func(traceReport) string
	}{
		{"heap, most at a time", func(t traceReport) string {
			if t.Table.Heap == 0 {
				return "—" // it is in the trace only when it changes
			}
			return whole(float64(t.Table.Heap)/1024) + " KiB"
		}},
		{"bgsweep", func(t traceReport) string { return duration(float64(t.Table.BgSweep)) }},
		{"bgsweep, executions", func(t traceReport) string { return whole(t.sweeps()) }},
		{"STW", func(t traceReport) string { return duration(float64(t.Table.STW)) }},
		{"STW, how often", func(t traceReport) string { return whole(t.Stops.All.N) }},
		{"collections", func(t traceReport) string { return whole(t.GC.Cycles) }},
	} {
		cells := []string{r.name}
		for _, c := range all {
			cells = append(cells, r.of(c.trace))
		}
		rows = append(rows, cells)
	}
	return table(head, rows)
}

// costs judges that what is returned as a pointer is allocated, and that this takes time.
func costs(value, pointer compared) []claim {
	ratio := pointer.over(value.series)
	return []claim{
		{pointer.name + ", it costs " + pointer.cost.String(), pointer.here.String(), same(pointer.here.bytes, pointer.cost.bytes)},
		{fmt.Sprintf("and takes %s times as long as %s", three(pointer.ns/value.ns), value.name), ratio.String() + " times", ratio.above(1)},
	}
}

// stackit compares the article's stackIt, stackIt2 and stackIt3.
func stackit(l *lab) (section, error) {
	all, times, err := l.compare(0,
		variant{"by value", "value", byValues, 1.52, cost{}},
		variant{"by returned pointer", "returned", byReturnedPointers, 16.0, cost{8, 1}},
		variant{"by passed pointer", "passed", byPassedPointers, 1.62, cost{}})
	if err != nil {
		return section{}, err
	}
	down := all[2].over(all[0].series)
	return section{
		about: "A function that doubles an int and is not inlined returns it, or a pointer to a local variable, or is given a pointer to its caller's; " + understanding +
			" calls them stackIt, stackIt2 and stackIt3.",
		tables: []string{times, l.traces(all)},
		claims: append(costs(all[0], all[1]),
			claim{"a pointer that is passed down costs no allocation", all[2].here.String(), same(all[2].here.bytes, 0)},
			claim{fmt.Sprintf("and takes about as long as the value, %.2f times", 1.62/1.52), down.String() + " times", down.below(2)}),
	}, nil
}

// nineFields makes as many structs as the article's tests do.
func nineFields(l *lab) (section, error) {
	all, times, err := l.compare(l.pointers,
		variant{"copied", "copied", copies, 5.20, cost{}},
		variant{"pointed to", "pointed", pointers, 52.6, cost{80, 1}})
	if err != nil {
		return section{}, err
	}
	took := func(i int) string { return duration(all[i].median().centre * float64(l.pointers)) }
	ratio, copied, pointed := all[1].over(all[0].series), all[0].trace.Stops.All.N, all[1].trace.Stops.All.N
	return section{
		about: "A function that is not inlined makes a struct of three ints, three strings and three bools, and returns it or a pointer to it, as the tests of " +
			understanding + " do. Its traces have 41 and 406,965 goroutines, a heap of 10 and 197,549 and 15 and 12,943 threads, copied and pointed to: " +
			"these seem to be numbers of events.",
		tables: []string{times, l.traces(all)},
		claims: append(costs(all[0], all[1]),
			claim{"20,000,000 times, the test takes 0.281 s copied and 2.224 s pointed to, 7.9 times as long",
				fmt.Sprintf("%s times, %s and %s, %s times as long", whole(l.pointers), took(0), took(1), ratio), ratio.above(1)},
			claim{"bgsweep runs 193,094 times with the pointer, never with the copy",
				fmt.Sprintf("%s and %s times", whole(all[1].trace.sweeps()), whole(all[0].trace.sweeps())), holds(all[1].trace.sweeps() > all[0].trace.sweeps())},
			claim{"the world is stopped 397 times with the pointer, never with the copy", fmt.Sprintf("%s and %s times", whole(pointed), whole(copied)), holds(pointed > copied)}),
	}, nil
}

//go:noinline
func byValue(x int) int { return 2 * x }

//go:noinline
func byReturnedPointer(x int) *int {
	doubled := 2 * x
	return &doubled
}

//go:noinline
func byPassedPointer(x *int) int { return 2 * *x }

func byValues(n int) {
	for i := range n {
		_ = byValue(i)
	}
}

func byReturnedPointers(n int) {
	for i := range n {
		_ = byReturnedPointer(i)
	}
}

func byPassedPointers(n int) {
	for i := range n {
		x := i
		_ = byPassedPointer(&x)
	}
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
