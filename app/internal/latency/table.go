package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// A column is what a design did in all rounds.
type column struct {
	frames        [windows][]time.Duration
	inputs, calls []time.Duration
	cpu           []float64
	lost          int // moves that no handler got
}

// add adds a round, in which the mouse was moved at the given times.
func (c *column) add(r result, moves []time.Time) {
	for i := range r.Frames {
		c.frames[i] = append(c.frames[i], r.Frames[i]...)
	}
	c.calls = append(c.calls, r.Calls...)
	c.cpu = append(c.cpu, r.CPU)
	first, last := math.MaxInt, 0
	for _, in := range r.Inputs {
		if n := number(in.X, in.Y); n >= 0 && n < len(moves) {
			if late := time.Duration(in.At - moves[n].UnixNano()); late > 0 {
				c.inputs = append(c.inputs, late)
				first, last = min(first, n), max(last, n)
			}
		}
	}
	if len(r.Inputs) > 0 {
		c.lost += last - first + 1 - len(r.Inputs)
	}
}

// jitter is the standard deviation.
func jitter(all []time.Duration) time.Duration {
	var sum, squares float64
	for _, d := range all {
		sum += float64(d)
	}
	mean := sum / float64(len(all))
	for _, d := range all {
		squares += (float64(d) - mean) * (float64(d) - mean)
	}
	return time.Duration(math.Sqrt(squares / float64(len(all))))
}

// quantile returns the least of all that at least p percent do not exceed.
func quantile(all []time.Duration, p int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max((len(sorted)*p+99)/100-1, 0)]
}

// write prints a table with a group of columns for each value of GOMAXPROCS, and a column in it for each design. Times are in
// milliseconds.
func write(out io.Writer, p plan, columns [][]column) error {
	head, rule := "| ms |", "| --- |"
	for _, procs := range p.procs {
		for _, d := range designs {
			head += fmt.Sprintf(" %s, P=%d |", d.title, procs)
			rule += " ---: |"
		}
	}
	text := head + "\n" + rule + "\n"
	row := func(title string, cell func(c *column) string) {
		text += "| " + title + " |"
		for _, group := range columns {
			for i := range group {
				text += " " + cell(&group[i]) + " |"
			}
		}
		text += "\n"
	}
	quantiles := func(of func(c *column) []time.Duration, ps ...int) func(c *column) string {
		return func(c *column) (s string) {
			for i, p := range ps {
				if i > 0 {
					s += ", "
				}
				s += milliseconds(quantile(of(c), p))
			}
			return s
		}
	}
	for i, rate := range p.rates {
		frames := func(c *column) []time.Duration { return c.frames[i] }
		row(fmt.Sprintf("%d frames/s: p5, p50, p95, p99", rate), quantiles(frames, 5, 50, 95, 99))
		row("jitter", func(c *column) string { return milliseconds(jitter(frames(c))) })
	}
	row("input to handler: p50, p95, p99", quantiles(func(c *column) []time.Duration { return c.inputs }, 50, 95, 99))
	row("call there and back: p50, p95, p99", quantiles(func(c *column) []time.Duration { return c.calls }, 50, 95, 99))
	row("CPU, of one core", func(c *column) string {
		sum := 0.0
		for _, cpu := range c.cpu {
			sum += cpu
		}
		return fmt.Sprintf("%.1f %%", 100*sum/float64(len(c.cpu)))
	})
	for _, group := range columns {
		for i, c := range group {
			if c.lost > 0 {
				text += fmt.Sprintf("\n%s lost %d of %d moves.\n", designs[i].title, c.lost, len(c.inputs)+c.lost)
			}
		}
	}
	_, err := io.WriteString(out, text)
	return err
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}
