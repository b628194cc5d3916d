package table_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/table"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

// simulated returns ten rounds of benchmarks of which the ratios of the versions' times are known.
func simulated(rounds int, versions ...string) *stats.Data {
	r := rand.New(rand.NewPCG(1, 2))
	d := stats.New(versions...)
	for round := range rounds {
		for _, b := range []struct {
			name          string
			ns            float64
			ratio         float64
			bytes, allocs [2]float64
		}{
			{"Decode/size=1k-8", 1234, 1.10, [2]float64{48, 64}, [2]float64{3, 4}},
			{"Decode/size=64k-8", 81234, 1.00, [2]float64{48, 48}, [2]float64{3, 3}},
			{"Encode-8", 17.2, 0.7, [2]float64{0, 16}, [2]float64{0, 1}},
		} {
			for v := range versions {
				i := min(v, 1)
				ns := b.ns * math.Pow(b.ratio, float64(i)) * math.Exp(0.02*r.NormFloat64())
				res := &benchfmt.Result{Name: benchfmt.Name(b.name), Iters: 1, Values: []benchfmt.Value{
					{Value: ns * 1e-9, Unit: "sec/op"}, {Value: b.bytes[i], Unit: "B/op"}, {Value: b.allocs[i], Unit: "allocs/op"}}}
				d.Add(v, round, res)
			}
		}
	}
	return d
}

func TestLook(t *testing.T) {
	s := screen.On(os.Stdout)
	for _, n := range []int{3, 12} {
		fmt.Println("=======", n)
		table.Write(s, simulated(n, "HEAD~1", "working tree").Compare(stats.Options{}))
		fmt.Println("-------")
		table.Write(s, simulated(n, "now").Compare(stats.Options{}))
	}
}
