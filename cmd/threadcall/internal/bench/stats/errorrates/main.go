// Errorrates finds out by simulation how often tests of benchmark results are wrong: how often they see a difference
// where there is none, and how often one that is there. It prints the tables of docs/bench-statistics.md.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
)

var (
	trials = flag.Int("trials", 4000, "simulated runs for each number")
	seed   = flag.Uint64("seed", 1, "of the random numbers")
)

func main() {
	flag.Parse()
	fmt.Println("| machine | what it does |\n| --- | --- |")
	for _, m := range machines {
		fmt.Printf("| %s | %s |\n", m.name, m.about)
	}
	for _, n := range []int{6, 10, 12, 20, 30} {
		fmt.Printf("\n**%d rounds**\n\n| machine |", n)
		for _, t := range tests {
			fmt.Printf(" %s |", t.name)
		}
		fmt.Println("\n| --- | --- | --- | --- | --- | --- |")
		for m := range machines {
			fmt.Printf("| %s |", machines[m].name)
			for _, t := range tests {
				r := rates(m, n, t.p, t.afterwards)
				fmt.Printf(" **%.1f** · %.0f · %.0f · %.0f |", 100*r[0], 100*r[1], 100*r[2], 100*r[3])
			}
			fmt.Println()
		}
	}
	smallest()
	stopping()
}

// effects are true changes.
var effects = []float64{0, 0.02, 0.05, 0.10}

// rates returns for each effect the share of runs in which the test sees a difference.
func rates(machine, n int, p func(old, new []float64) float64, afterwards bool) []float64 {
	seen := make([]float64, len(effects))
	var wg sync.WaitGroup
	for e := range effects {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(*seed, uint64(e)))
			for range *trials {
				old, new := run(r, machines[machine].make(r), n, effects[e], afterwards)
				if p(old, new) <= 0.05 {
					seen[e] += 1 / float64(*trials)
				}
			}
		})
	}
	wg.Wait()
	return seen
}

// run measures n rounds of old and new, which takes longer by the effect.
func run(r *rand.Rand, m machine, n int, effect float64, afterwards bool) (old, new []float64) {
	if afterwards {
		for range n {
			old = append(old, m())
		}
		for range n {
			new = append(new, m()*(1+effect))
		}
		return old, new
	}
	for range n {
		a, b := m(), m()
		if r.IntN(2) == 0 { // who is first
			a, b = b, a
		}
		old, new = append(old, a), append(new, b*(1+effect))
	}
	return old, new
}
