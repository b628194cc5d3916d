package demo

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/internal/compare"
)

// rounds is how many samples of each row are taken.
const rounds = 9

// designs are ways to call the main thread: the article's, and threadcall, which comes last.
var designs = []struct {
	name string
	open func() (s compare.Subject, end func())
}{
	{"naive", served(compare.Naive)},
	{"pooled", served(compare.Pooled)},
	{"struct", served(compare.Struct)},
	{"threadcall", func() (compare.Subject, func()) { return compare.MainThread, func() {} }},
}

func served(design func() compare.Design) func() (s compare.Subject, end func()) {
	return func() (compare.Subject, func()) {
		d := design()
		return d, compare.OnMain(d)
	}
}

// costs measures what a call takes, and prints a table.
func (p printer) costs(sample time.Duration) {
	p.Printf("%s\n\n", p.Bold("2. What a call costs"))
	p.Paragraph("", `The article "Scheduling Function Calls with Zero Allocation" (2021) has three
		designs in which one goroutine receives functions on a channel: naive, pooled and struct.
		Here they serve the main thread, as threadcall does.`)
	p.Printf("\n")
	p.Paragraph("", fmt.Sprintf("Times are medians of %d rounds, each in an order of its own, with "+
		"%v of calls to a sample. This takes about %v.", rounds, sample,
		max((6*(rounds+1)*sample).Round(time.Second), time.Second)))
	p.Printf("\n")

	testing.Init()
	_ = flag.Set("test.benchtime", "1000x") // it is defined, and valid
	names, memory := []string{"direct"}, [][2]string{{}}
	contenders := []compare.Contender{compare.Direct}
	for _, d := range designs {
		s, end := d.open()
		r := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				s.Call(func() {})
			}
		})
		end()
		names, memory = append(names, d.name), append(memory,
			[2]string{fmt.Sprint(r.AllocedBytesPerOp()), fmt.Sprint(r.AllocsPerOp())})
		contenders = append(contenders, compare.Calling(d.open))
	}
	if c := compare.Bounded(); c != nil {
		names, memory, contenders = append(names, "bound"), append(memory, [2]string{}),
			append(contenders, c)
	}
	series := compare.Rounds(contenders, rounds, sample)
	t := &ui.Table{Left: 1}
	t.Add("", "a call", "least", "most", "B/op", "allocs/op")
	best := 1 // of the article's designs
	for i, times := range series {
		t.Add(names[i], ui.Duration(stats.Median(times)), ui.Duration(slices.Min(times)),
			ui.Duration(slices.Max(times)), memory[i][0], memory[i][1])
		if i < len(designs) && i > 0 && stats.Median(times) < stats.Median(series[best]) {
			best = i
		}
	}
	t.Write(p.Screen)
	p.Printf("\n")
	p.Paragraph("direct      ", "The same function is called where its caller is.")
	p.Paragraph("bound       ", `Two threads pass one word back and forth: the least that a call
		between threads can take, if both have a core to themselves. It is missing where two threads
		cannot run at the same time.`)
	if last := len(series) - 1; last > len(designs) &&
		stats.Median(series[last]) > stats.Median(series[len(designs)]) {
		p.Paragraph("            ", `Here a call takes less than that, because other processes had one of
			the cores for most of the samples: look at the least.`)
	}
	p.Printf("\n")
	var ratios []float64 // within each round
	for i, ns := range series[len(designs)] {
		ratios = append(ratios, series[best][i]/ns)
	}
	p.Paragraph("", fmt.Sprintf("Threadcall is %s times as fast as %s, the best of the others (the "+
		"median of the rounds, which range from %s to %s).", p.Bold(ui.Digits(stats.Median(ratios))),
		names[best], ui.Digits(slices.Min(ratios)), ui.Digits(slices.Max(ratios))))
	p.Printf("\n")
}
