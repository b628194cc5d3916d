package main

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"golang.org/x/perf/benchfmt"

	bench "github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// most is where a run stops that never becomes narrow enough.
const most = 60

// stopping prints what becomes of the error rate and of the intervals if rounds go on until the interval is narrow.
func stopping() {
	const effect = 0.05
	fmt.Printf("\n**Rounds until the interval is narrow, at most %d**\n\n", most)
	fmt.Print("| machine | width | rounds | false alarms | interval holds the true 5 % |\n| --- | --- | --- | --- | --- |\n")
	for _, m := range machines {
		for _, width := range []float64{0.01, 0.02, 0.05} {
			rounds, alarms, holds := 0, 0, 0
			var wg sync.WaitGroup
			wg.Go(func() {
				r := rand.New(rand.NewPCG(*seed, 1000))
				for range *trials {
					n, d := until(r, m.make(r), width, 0)
					rounds += n
					if d.Visible() {
						alarms++
					}
				}
			})
			wg.Go(func() {
				r := rand.New(rand.NewPCG(*seed, 1001))
				for range *trials {
					_, d := until(r, m.make(r), width, effect)
					if d.Interval.Low <= 1+effect && 1+effect <= d.Interval.High {
						holds++
					}
				}
			})
			wg.Wait()
			all := float64(*trials)
			fmt.Printf("| %s | %.0f %% | %.0f | %.1f %% | %.1f %% |\n",
				m.name, 100*width, float64(rounds)/all, 100*float64(alarms)/all, 100*float64(holds)/all)
		}
	}
}

// until measures rounds until the interval is narrow.
func until(r *rand.Rand, m machine, width, effect float64) (rounds int, d bench.Delta) {
	data := bench.New("old", "new")
	for n := 0; ; n++ {
		old, new := run(r, m, 1, effect, false)
		for version, value := range []float64{old[0], new[0]} {
			data.Add(version, n, &benchfmt.Result{Name: benchfmt.Name("X"), Values: []benchfmt.Value{{Value: value, Unit: "sec/op"}}})
		}
		if n+1 < bench.Rounds(0.95) {
			continue
		}
		if c := data.Compare(bench.Options{}); n+1 == most || c.Narrow(width) {
			return n + 1, c.Tables[0].Rows[0].Deltas[1]
		}
	}
}
