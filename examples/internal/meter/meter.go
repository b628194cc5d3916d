// Package meter compares ways of having something done on a thread: interleaved in one run, in rounds, with the spread.
package meter

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// How long a comparison takes. A program that compares must call flag.Parse.
var (
	Rounds = flag.Int("rounds", 10, "measure each way so many times, in turn")
	Round  = flag.Duration("round", 200*time.Millisecond, "measure each way for so long in each round")
	Only   = flag.String("load", "", "measure only under loads whose name contains this `text`")
)

// A Way is one of the ways that are compared. The first is what people use today.
type Way struct {
	Name string
	Call func() bool // is called by several goroutines; false if what it did was wrong

	// Around, if it is not nil, is called for each round, and calls measure on any goroutine.
	Around func(measure func())
}

// A Load is who calls.
type Load struct {
	Name      string
	Callers   int           // goroutines, each of which calls in a loop
	Pause     time.Duration // between two calls of one goroutine
	Computing int           // other goroutines that use all the CPU time they get
}

// Loads are those that most programs compare under.
var Loads = []Load{
	{Name: "one goroutine, a call every 2 ms", Callers: 1, Pause: 2 * time.Millisecond},
	{Name: "one goroutine in a loop", Callers: 1},
	{Name: "8 goroutines in a loop", Callers: 8},
	{Name: fmt.Sprintf("one goroutine, a call every 2 ms, %d others compute", runtime.NumCPU()),
		Callers: 1, Pause: 2 * time.Millisecond, Computing: runtime.NumCPU()},
}

// Compare measures the ways under each load and prints a table: the time that half of the calls and 99 % of them take at
// most, and the CPU time of the process divided by the number of calls, each with the lowest and the highest of the
// rounds. A round before the first does not count. Compare ends with a line that has the name, the number of calls and
// how many of them were wrong, and returns whether there were calls and none was wrong.
func Compare(name string, loads []Load, ways ...Way) bool {
	var calls, wrong atomic.Int64
	for _, load := range loads {
		if !strings.Contains(load.Name, *Only) {
			continue
		}
		measured := make([][]sample, len(ways))
		for round := range *Rounds + 1 {
			for _, i := range rand.Perm(len(ways)) {
				var s sample
				around := ways[i].Around
				if around == nil {
					around = func(measure func()) { measure() }
				}
				around(func() { s = measure(load, ways[i], &wrong) })
				calls.Add(int64(s.took.Count()))
				if round > 0 {
					measured[i] = append(measured[i], s)
				}
			}
		}
		print(load, ways, measured)
	}
	fmt.Printf("%s: %d calls, %d of them wrong\n", name, calls.Load(), wrong.Load())
	return calls.Load() > 0 && wrong.Load() == 0
}

// A sample is what one round measured of one way.
type sample struct {
	took Histogram
	cpu  time.Duration // zero where it is not known
}

func measure(load Load, way Way, wrong *atomic.Int64) sample {
	var (
		over             atomic.Bool
		callers, compute sync.WaitGroup
		took             = make([]Histogram, load.Callers)
	)
	for range load.Computing {
		compute.Go(func() {
			for !over.Load() {
			}
		})
	}
	cpu := CPUTime()
	end := Now() + *Round
	for i := range took {
		callers.Go(func() {
			for {
				start := Now()
				if !way.Call() {
					wrong.Add(1)
				}
				took[i].Add(Now() - start)
				if load.Pause > 0 {
					time.Sleep(load.Pause)
				}
				if Now() >= end {
					return
				}
			}
		})
	}
	callers.Wait()
	s := sample{cpu: CPUTime() - cpu}
	if load.Computing > 0 {
		s.cpu = 0 // it is theirs
	}
	over.Store(true)
	compute.Wait()
	for i := range took {
		s.took.Merge(&took[i])
	}
	return s
}

func print(load Load, ways []Way, measured [][]sample) {
	const ratios = "last / first"
	width := len(ratios)
	for _, way := range ways {
		width = max(width, len(way.Name))
	}
	line := func(name string, cells ...string) {
		text := fmt.Sprintf("%-*s ", width, name)
		for i, cell := range cells {
			text += fmt.Sprintf([]string{"%9s", " %-16s"}[i%2], cell)
		}
		fmt.Println(strings.TrimRight(text, " "))
	}

	fmt.Printf("%s; %d rounds of %v (lowest to highest)\n", load.Name, *Rounds, *Round)
	line("", "p50 µs", "", "p99 µs", "", "CPU µs")
	var first, last [3]float64
	for i, way := range ways {
		var all Histogram
		var cpu time.Duration
		var rounds [3][]float64
		for _, s := range measured[i] {
			all.Merge(&s.took)
			cpu += s.cpu
			rounds[0] = append(rounds[0], micros(s.took.Quantile(0.50)))
			rounds[1] = append(rounds[1], micros(s.took.Quantile(0.99)))
			rounds[2] = append(rounds[2], micros(s.cpu)/float64(s.took.Count()))
		}
		last = [3]float64{micros(all.Quantile(0.50)), micros(all.Quantile(0.99)), micros(cpu) / float64(all.Count())}
		if i == 0 {
			first = last
		}
		var cells []string
		for i, x := range last {
			if x == 0 {
				cells = append(cells, "-", "")
				continue
			}
			cells = append(cells, digits(x), fmt.Sprintf("(%s–%s)", digits(slices.Min(rounds[i])), digits(slices.Max(rounds[i]))))
		}
		line(way.Name, cells...)
	}
	if len(ways) > 1 {
		var cells []string
		for i, x := range last {
			if x > 0 {
				cells = append(cells, digits(x/first[i]), "")
			}
		}
		line(ratios, cells...)
	}
	fmt.Println()
}

// digits formats x with three digits or more.
func digits(x float64) string {
	places := 0
	for limit := 100.0; x < limit && places < 2; limit /= 10 {
		places++
	}
	return strconv.FormatFloat(x, 'f', places, 64)
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
