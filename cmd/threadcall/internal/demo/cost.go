package demo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/internal/bench"
)

// A row is one way to make a call.
type row struct {
	name string
	open func() (s bench.Subject, end func()) // nil where no function is called by a Subject

	timed          bench.Contender
	times          []float64 // nanoseconds of a call, by round
	bytes, objects float64   // allocated by a call
}

// newRows returns the rows of the table, from top to bottom.
func newRows() []*row {
	rows := []*row{{name: "direct", timed: bench.Direct}}
	add := func(name string, open func() (bench.Subject, func())) {
		rows = append(rows, &row{name: name, open: open, timed: bench.Calling(open)})
	}
	for _, d := range []struct {
		name   string
		design func() bench.Design
	}{{"naive", bench.Naive}, {"pooled", bench.Pooled}, {"struct", bench.Struct}} {
		add(d.name, func() (bench.Subject, func()) {
			s := d.design()
			return s, bench.OnMain(s)
		})
	}
	add("threadcall", func() (bench.Subject, func()) { return bench.MainThread, func() {} })
	if c := bench.Bounded(); c != nil {
		rows = append(rows, &row{name: "bound", timed: c})
	}
	return rows
}

// measure fills the rows.
func measure(rows []*row, rounds int, sample time.Duration, progress func(done, all int)) {
	var contenders []bench.Contender
	for _, r := range rows {
		contenders = append(contenders, r.timed)
		if r.open != nil {
			s, end := r.open()
			r.bytes, r.objects = bench.Memory(500, func() { s.Call(func() {}) })
			end()
		}
	}
	series, _ := bench.Rounds(context.Background(), contenders,
		bench.Plan{Rounds: rounds, Sample: sample}, progress)
	for i, r := range rows {
		r.times = series[i]
	}
}

// A spread is what at least one value has in common with others.
type spread struct{ median, min, max float64 }

func spreadOf(values []float64) spread {
	v := slices.Sorted(slices.Values(values))
	return spread{(v[(len(v)-1)/2] + v[len(v)/2]) / 2, v[0], v[len(v)-1]}
}

func (p printer) measuring(sample time.Duration) {
	p.Printf("%s\n\n", p.Bold("2. What a call costs"))
	p.Paragraph("", `The article "Scheduling Function Calls with Zero Allocation" (2021) has three
		designs in which one goroutine receives functions on a channel: naive, pooled and struct.
		Here they serve the main thread, as threadcall does.`)
	p.Printf("\n")
	p.Paragraph("", fmt.Sprintf("Times are medians of %d rounds, each in an order of its own, with "+
		"%v of calls to a sample. This takes about %v.", rounds, sample,
		max((6*(rounds+1)*sample).Round(time.Second), time.Second)))
	p.Printf("\n")
}

// results prints all that follows from the measurements.
func (p printer) results(rows []*row) {
	t := &ui.Table{Left: 1}
	t.Add("", "a call", "least", "most", "B/op", "allocs/op")
	best := rows[1]
	for i, r := range rows {
		s, bytes, objects := spreadOf(r.times), "", ""
		if r.open != nil {
			bytes, objects = count(r.bytes), count(r.objects)
		}
		t.Add(r.name, ui.Duration(s.median), ui.Duration(s.min), ui.Duration(s.max), bytes, objects)
		if i < 4 && i > 0 && s.median < spreadOf(best.times).median {
			best = r
		}
	}
	t.Write(p.Screen)
	p.Printf("\n")
	p.Paragraph("direct      ", "The same function is called where its caller is.")
	p.Paragraph("bound       ", `Two threads pass one word back and forth: the least that a call
		between threads can take, if both have a core to themselves. It is missing where two threads
		cannot run at the same time.`)
	p.Printf("\n")
	var ratios []float64 // within each round
	for i, ns := range rows[4].times {
		ratios = append(ratios, best.times[i]/ns)
	}
	times := spreadOf(ratios)
	p.Paragraph("", fmt.Sprintf("Threadcall is %s times as fast as %s, the best of the others (the "+
		"median of the rounds; they have %s to %s).", p.Bold(ui.Digits(times.median)), best.name,
		ui.Digits(times.min), ui.Digits(times.max)))
	p.Printf("\n")
}

// count writes x without a fraction if the fraction is within the runtime's own allocations.
func count(x float64) string {
	if whole := math.Round(x); math.Abs(x-whole) < 0.02*whole+0.02 {
		return ui.Number(whole)
	}
	return ui.Digits(x)
}
