package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
	"github.com/threadcall/threadcall/internal/bench"
)

// A row is one way to make a call. It has a cell for each thread that may serve it.
type row struct {
	name           string
	unlocked, main *cell // what serves; may be nil
}

// A cell is one way to make a call, served in one place.
type cell struct {
	open  func() (s bench.Subject, end func()) // nil for the bound, where nothing is called
	timed bench.Contender

	times          []float64 // nanoseconds of a call, by round
	bytes, objects float64   // allocated by a call
}

// newRows returns the rows of the table, from top to bottom.
func newRows() []row {
	called := func(open func() (bench.Subject, func())) *cell {
		return &cell{open: open, timed: bench.Calling("", open)}
	}
	design := func(design func() bench.Design, serve func(bench.Design) (stop func())) *cell {
		return called(func() (bench.Subject, func()) {
			d := design()
			return d, serve(d)
		})
	}
	direct := &cell{open: func() (bench.Subject, func()) { return inPlace{}, func() {} },
		timed: bench.Direct("")}
	rows := []row{{"direct", direct, nil}}
	for _, d := range []struct {
		name   string
		design func() bench.Design
	}{{"naive", bench.Naive}, {"pooled", bench.Pooled}, {"struct", bench.Struct}} {
		rows = append(rows, row{d.name, design(d.design, bench.OnGoroutine),
			design(d.design, bench.OnMain)})
	}
	rows = append(rows, row{"threadcall", nil,
		called(func() (bench.Subject, func()) { return bench.MainThread, func() {} })})
	bound := row{name: "bound"}
	if c, ok := bench.Bounded(""); ok {
		bound.main = &cell{timed: c}
	}
	return append(rows, bound)
}

type inPlace struct{}

func (inPlace) Call(f func()) bool { f(); return true }
func (inPlace) Go(f func()) bool   { f(); return true }

// measure fills the cells. The fact says whether functions were run where the table says.
func measure(rows []row, rounds int, sample time.Duration, progress func(done, all int)) fact {
	var cells []*cell
	var contenders []bench.Contender
	onMain, elsewhere, misplaced := 0, 0, 0
	for _, r := range rows {
		for _, c := range []*cell{r.unlocked, r.main} {
			if c == nil {
				continue
			}
			cells, contenders = append(cells, c), append(contenders, c.timed)
			if c.open == nil {
				continue
			}
			s, end := c.open()
			on := ""
			s.Call(func() { on = osthread.Here() })
			switch main := on == osthread.Main(); {
			case main != (c == r.main):
				misplaced++
			case main:
				onMain++
			default:
				elsewhere++
			}
			c.bytes, c.objects = bench.Memory(500, func() { s.Call(func() {}) })
			end()
		}
	}
	series, _ := bench.Rounds(context.Background(), contenders,
		bench.Plan{Rounds: rounds, Sample: sample}, progress)
	for i, c := range cells {
		c.times = series[i]
	}
	const sentence = "%d rows by the main thread, %d by others, %d not as printed"
	f := fact{claim: "functions were run where the table says", expected: fmt.Sprintf(sentence, 4, 4,
		0),
		seen: fmt.Sprintf(sentence, onMain, elsewhere, misplaced)}
	f.ok = f.expected == f.seen
	return f
}

// A spread is what some values have in common.
type spread struct{ median, min, max float64 }

// spreadOf sums up at least one value.
func spreadOf(values []float64) spread {
	v := slices.Sorted(slices.Values(values))
	return spread{(v[(len(v)-1)/2] + v[len(v)/2]) / 2, v[0], v[len(v)-1]}
}

func (c *cell) time() spread { return spreadOf(c.times) }

// over returns the ratios within each round.
func (c *cell) over(d *cell) spread {
	var ratios []float64
	for i, t := range c.times {
		ratios = append(ratios, t/d.times[i])
	}
	return spreadOf(ratios)
}
