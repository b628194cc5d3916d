package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/aclements/go-moremath/stats"
)

// smallest prints how often a true change is seen whose size is that which a run says it could see.
func smallest() {
	fmt.Print("\n**Changes of the size that a run without a change says it could see**\n\n")
	fmt.Print("| machine | rounds | could see | seen | seen, if 1.5 times as large | twice |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, m := range machines {
		for _, n := range []int{10, 20} {
			r := rand.New(rand.NewPCG(*seed, 2000))
			sizes := make([]float64, *trials)
			for i := range sizes {
				sizes[i] = compare(run(r, m.make(r), n, 0, false)).Smallest
			}
			size := stats.Sample{Xs: sizes}.Quantile(0.5)
			fmt.Printf("| %s | %d | %.1f %% |", m.name, n, 100*size)
			for _, times := range []float64{1, 1.5, 2} {
				seen := 0
				for range *trials {
					if compare(run(r, m.make(r), n, times*size, false)).Visible() {
						seen++
					}
				}
				fmt.Printf(" %.0f %% |", 100*float64(seen)/float64(*trials))
			}
			fmt.Println()
		}
	}
}
