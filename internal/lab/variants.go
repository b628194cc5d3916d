package main

import (
	"fmt"
	"math"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
	"github.com/threadcall/threadcall/internal/lab/work"
)

// A variant is one way to write a function, with what the article measured of it.
type variant struct {
	name, job string
	work      func(n int)
	ns        float64
	cost      cost // in the article

	here  cost
	trace traceReport
}

// A variantsResult compares variants of a function.
type variantsResult struct {
	variants []variant
	series   []measure.Series
	traced   int // how often each was traced
}

// measureVariants times the variants, counts what they allocate and traces each in a process of its own.
func measureVariants(l *lab, name string, variants []variant, n int, rounds func([]measure.Contender) ([]measure.Series, error)) (r variantsResult, err error) {
	r = variantsResult{variants: variants, traced: n}
	var contenders []measure.Contender
	for _, v := range variants {
		contenders = append(contenders, measure.Plain(v.name, v.work))
	}
	if r.series, err = rounds(contenders); err != nil {
		return r, err
	}
	l.progress.enter(name + ", traced")
	for i := range variants {
		v := &variants[i]
		v.here = costOf(l.profile, v.work)
		if v.trace, err = l.tracer.report(work.Job{Name: v.job, N: n}); err != nil {
			return r, err
		}
		l.progress.step(i+1, len(variants))
	}
	return r, nil
}

func (r variantsResult) table() string {
	var rows [][]string
	for i, v := range r.variants {
		rows = append(rows, []string{v.name, paper.Time(v.ns), paper.Spread(r.series[i].Median()), v.cost.text(), v.here.text()})
	}
	return paper.Table([]string{"a call", "the article", "here", "from the heap, the article", "from the heap, here"}, rows)
}

// traceTable writes the article's table, and what corresponds to the numbers that it has for some of the variants.
func (r variantsResult) traceTable(article map[string][]string) string {
	head := []string{"in a trace of " + paper.Whole(r.traced) + " calls"}
	for _, v := range r.variants {
		if article != nil {
			head = append(head, v.name+", the article")
		}
		head = append(head, v.name)
	}
	var rows [][]string
	row := func(name string, of func(t traceReport) string) {
		cells := []string{name}
		for i, v := range r.variants {
			if article != nil {
				cell := ""
				if said := article[name]; said != nil {
					cell = said[i]
				}
				cells = append(cells, cell)
			}
			cells = append(cells, of(v.trace))
		}
		rows = append(rows, cells)
	}
	row(goroutinesRow, func(t traceReport) string { return paper.Whole(t.Table.Goroutines) })
	row(heapRow, func(t traceReport) string {
		if t.Table.Heap == 0 {
			return "—" // it is in the trace only when it changes
		}
		return paper.Whole(float64(t.Table.Heap)/1024) + " KiB"
	})
	row(threadsRow, func(t traceReport) string { return paper.Whole(t.Table.Threads) })
	row(sweepRow, func(t traceReport) string { return paper.Time(float64(t.Table.BgSweep)) })
	row(sweepsRow, func(t traceReport) string { return paper.Whole(t.sweeps()) })
	row(stwTimeRow, func(t traceReport) string { return paper.Time(float64(t.Table.STW)) })
	row(stopsRow, func(t traceReport) string { return paper.Whole(t.Stops.All.N) })
	row("collections", func(t traceReport) string { return paper.Whole(t.GC.Cycles) })
	return paper.Table(head, rows)
}

// The rows that the article's table has too.
const (
	goroutinesRow = "goroutines, most at a time"
	heapRow       = "heap, most at a time"
	threadsRow    = "threads"
	sweepRow      = "bgsweep"
	sweepsRow     = "bgsweep, executions"
	stwTimeRow    = "STW"
	stopsRow      = "STW, how often"
)

// pointerCosts judges that what is returned as a pointer is allocated, and that this is what takes the time.
func (r variantsResult) pointerCosts(value, pointer int) []paper.Claim {
	v, p := r.variants[value], r.variants[pointer]
	ratio := r.series[pointer].Over(r.series[value])
	c := exactly(fmt.Sprintf("%s, it costs %s B in %s", p.name, paper.Whole(p.cost.bytes), objectsText(p.cost.allocs)), p.cost.bytes, p.here.bytes, "B", "")
	c.Here = p.here.text()
	if math.Round(p.here.allocs) != p.cost.allocs {
		c.Verdict = paper.Changed
	}
	slower := paper.Claim{
		Says:    fmt.Sprintf("and takes %s times as long as %s", paper.Three(p.ns/v.ns), v.name),
		Here:    paper.Ratio(ratio) + " times",
		Verdict: paper.More(ratio, 1),
	}
	if slower.Verdict == paper.Reproduced {
		switch said := p.ns / v.ns; {
		case ratio.Below(said / 2):
			slower.Why = "in that it takes longer, but by far less"
		case ratio.Above(said * 2):
			slower.Why = "in that it takes longer, and by far more"
		case ratio.Above(said/2) && ratio.Below(said*2):
			slower.Why = "within a factor of two"
		default:
			slower.Why = "in that it takes longer"
		}
	}
	return []paper.Claim{c, slower}
}

func objectsText(n float64) string {
	if n == 1 {
		return "one object"
	}
	return paper.Whole(n) + " objects"
}

// collectorText says what the traces show of the collector.
func (r variantsResult) collectorText(value, pointer int) string {
	v, p := r.variants[value].trace, r.variants[pointer].trace
	switch {
	case p.GC.Cycles == 0:
		return "The traces are too short to show a collection."
	case p.GC.Cycles <= v.GC.Cycles:
		return "The traces do not show that it is the collector."
	default:
		return fmt.Sprintf("The traces show what becomes of it later: %s with the pointer, for which the world was stopped %s, and %s without.",
			paper.Many(p.GC.Cycles, "collection"), paper.Many(p.Stops.All.N, "time"), paper.Many(v.GC.Cycles, "collection"))
	}
}

func (r variantsResult) panel(title string) picture.Panel {
	p := picture.Panel{Title: title}
	for i, v := range r.variants {
		p.Rows = append(p.Rows, picture.Row{Name: v.name, Group: i, Series: r.series[i], Article: v.ns})
	}
	return p
}
