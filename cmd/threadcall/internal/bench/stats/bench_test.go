package stats_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A run compares after every round, so that has to cost little beside the round.
func BenchmarkCompare(b *testing.B) {
	for _, how := range []string{"pairs", "ranks"} {
		for _, n := range []int{10, 50} {
			b.Run(fmt.Sprintf("how=%s/n=%d", how, n), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 1))
				d := stats.New("old", "new")
				for row := range 20 {
					for round := range n {
						if how == "ranks" {
							round = -1
						}
						for v := range 2 {
							d.Add(v, round, result(fmt.Sprintf("B%d", row), 1+0.1*r.Float64(), "sec/op"))
						}
					}
				}
				for b.Loop() {
					d.Compare(stats.Options{})
				}
			})
		}
	}
}
