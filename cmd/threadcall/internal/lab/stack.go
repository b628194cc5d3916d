package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"
	"github.com/threadcall/threadcall/internal/bench"
)

// stack compares a result that is copied with pointers that are passed up and down the stack.
func stack(l *lab) error {
	variants := []struct {
		name, function, loop string
		work                 func(n int)
		ns                   float64 // in the article, and the following
		cost, lines          string
	}{
		{"`stackIt`, a copy", "Value", "Values", subject.Values, 1.52, "0 B in 0", ""},
		{"`stackIt2`, a pointer up the stack", "Up", "Ups", subject.Ups, 16.0, "8 B in 1",
			"`moved to heap: res`"},
		{"`stackIt3`, a pointer down the stack", "Down", "Downs", subject.Downs, 1.62, "0 B in 0",
			"`y does not escape`"},
	}
	var contenders []bench.Contender
	for _, v := range variants {
		contenders = append(contenders, bench.Timed(v.work))
	}
	s, err := l.measure(0, contenders...)
	if err != nil {
		return err
	}
	compiler, err := l.compile("-m -l")
	if err != nil {
		return err
	}
	rows := [][]string{{"a call", "the article", "here", "from the heap, the article",
		"from the heap, here", "`-m -l`, the article",
		"`-m -l`, here"}}
	for i, v := range variants {
		rows = append(rows, []string{v.name, duration(v.ns), s[i].in(duration), v.cost,
			cost(func() { v.work(1) }), v.lines,
			compiler[v.function]})
	}
	l.table(rows...)
	l.table([]string{"", "the article", "here"},
		[]string{"a pointer up the stack takes, in times of a copy", "10.5", s[1].over(s[0]).in(number)},
		[]string{"the stack of a goroutine starts with", "2 KB",
			fmt.Sprintf("%d B in a new process", firstStack)})
	return nil
}

// nineFields makes as many structs as the article's tests do, and compares copies with pointers.
func nineFields(l *lab) error {
	n := l.n(20_000_000)
	works := []func(n int){subject.Copies, subject.Pointers}
	s, err := l.measure(n, bench.Timed(works[0]), bench.Timed(works[1]))
	if err != nil {
		return err
	}
	compiler, err := l.compile("-m -l")
	if err != nil {
		return err
	}
	l.table([]string{"a call", "the article", "here", "from the heap, the article",
		"from the heap, here", "`-m -l`, here"},
		[]string{"copied", "5.20 ns", s[0].in(duration), "0 B in 0",
			cost(func() { subject.Copies(1) }), compiler["Copied"]},
		[]string{"pointed to", "52.6 ns", s[1].in(duration), "80 B in 1",
			cost(func() { subject.Pointers(1) }), compiler["Pointed"]},
		[]string{"the ratio", "10.1", s[1].over(s[0]).in(number), "", "", ""})
	var all [2][]traced
	for i, work := range works {
		if all[i], err = l.trace(runtime.GOMAXPROCS(0), false, func() { work(n) }); err != nil {
			return err
		}
	}
	rows := [][]string{{fmt.Sprintf("in a trace of %d calls", n), "copied, the article",
		"pointed to, the article", "copied, here", "pointed to, here"}}
	for _, r := range []struct {
		name, copied, pointed string // in the article
		of                    func(traced) float64
		unit                  func(float64) string
	}{
		{"the test", "281 ms", "2.22 s", func(t traced) float64 { return float64(t.total) }, duration},
		{"goroutines created", "41", "406,965",
			func(t traced) float64 { return float64(t.Goroutines.Created) }, number},
		{"threads", "15", "12,943", func(t traced) float64 { return float64(t.Table.Threads) }, number},
		{"bgsweep, executions", "0", "193,094",
			func(t traced) float64 { return float64(function(t.Report, "runtime.bgsweep").Executions) },
			number},
		{"STW, how often", "0", "397", func(t traced) float64 { return float64(t.Stops.All.N) }, number},
	} {
		rows = append(rows, []string{r.name, r.copied, r.pointed, each(all[0], r.of).in(r.unit),
			each(all[1], r.of).in(r.unit)})
	}
	l.table(rows...)
	return nil
}

// firstStack is the size of a new goroutine's stack, in bytes, before the first collection: each
// collection adapts it to the average stack.
var firstStack = func() uint64 {
	sample := []metrics.Sample{{Name: "/gc/stack/starting-size:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}()
