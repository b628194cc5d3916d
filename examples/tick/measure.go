package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/examples/internal/meter"
)

// A result is what was measured of one way to have something done after each period.
type result struct {
	name string
	way  func(f func()) (began time.Time, stop func(), err error)

	late   meter.Histogram // from the time of a tick to its begin
	missed int             // ticks that have not come
	wrong  int             // ticks that have come too early, or at the same time as another, or after the end
	p99    []time.Duration // of each round
	cpu    time.Duration   // zero if others have used it
}

// measure adds a round.
func (r *result) measure(computing int) error {
	var over atomic.Bool
	var others sync.WaitGroup
	defer others.Wait()
	defer over.Store(true)
	for range computing {
		others.Go(func() {
			for !over.Load() {
			}
		})
	}

	// The ticks are recorded as they come, and judged afterwards.
	times := make([]time.Time, 0, 2*int(*meter.Round / *period)+10)
	var running, ticks, wrong atomic.Int32
	var sound [128]float32
	cpu := meter.CPUTime()
	began, stop, err := r.way(func() {
		times = append(times, time.Now())
		if running.Add(1) != 1 {
			wrong.Add(1)
		}
		for i := range sound {
			sound[i] = float32(math.Sin(float64(len(times)*len(sound)+i) * 440 / 48000 * 2 * math.Pi))
		}
		running.Add(-1)
		ticks.Add(1)
	})
	if err != nil {
		return err
	}
	time.Sleep(*meter.Round)
	for ticks.Load() == 0 {
		time.Sleep(*period)
	}
	stop()
	n := len(times)
	if computing == 0 {
		r.cpu += meter.CPUTime() - cpu
	}
	time.Sleep(2 * *period)
	if len(times) != n {
		wrong.Add(1)
	}

	var late meter.Histogram
	last, behind := time.Duration(0), 0
	for _, now := range times {
		at := now.Sub(began)
		due := last + 1
		last = at / *period
		switch {
		case last >= due: // what should have come since then is missed, or comes next
			behind += int(last - due)
			late.Add(at - due**period)
		case behind > 0: // that
			behind--
			late.Add(at - last**period)
		default:
			wrong.Add(1)
		}
	}
	r.missed += behind
	r.wrong += int(wrong.Load())
	r.p99 = append(r.p99, late.Quantile(0.99))
	r.late.Merge(&late)
	return nil
}

// print prints the results one below the other, and then their histograms.
func print(results []*result) {
	fmt.Printf("%-14s %9s %9s %-17s %9s %8s %8s\n", "late", "p50 µs", "p99 µs", "", "max µs", "missed", "CPU µs")
	for _, r := range results {
		cpu := "-"
		if r.cpu > 0 {
			cpu = fmt.Sprintf("%.1f", micros(r.cpu)/float64(r.late.Count()))
		}
		fmt.Printf("%-14s %9.0f %9.0f %-17s %9.0f %6.0f %% %8s\n", r.name,
			micros(r.late.Quantile(0.5)), micros(r.late.Quantile(0.99)),
			fmt.Sprintf("(%.0f–%.0f)", micros(slices.Min(r.p99)), micros(slices.Max(r.p99))),
			micros(r.late.Max()), 100*float64(r.missed)/float64(r.missed+r.late.Count()), cpu)
	}
	const width = 24
	fmt.Printf("\n%12s", "late")
	for _, r := range results {
		fmt.Printf("  %-*s", width+8, r.name)
	}
	fmt.Println()
	for from, to := time.Duration(0), 8*time.Microsecond; ; from, to = to, 2*to {
		line := fmt.Sprintf("%9s µs", fmt.Sprintf("< %.0f", micros(to)))
		here, later := 0, 0
		for _, r := range results {
			n := r.late.Between(from, to)
			here, later = here+n, later+r.late.Between(to, time.Hour)
			share := float64(n) / float64(r.late.Count())
			line += fmt.Sprintf("  %5.1f %% %-*s", 100*share, width, strings.Repeat("#", int(math.Ceil(width*share))))
		}
		if here > 0 || from > 0 {
			fmt.Println(strings.TrimRight(line, " "))
		}
		if later == 0 {
			break
		}
	}
	fmt.Println()
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
