package trace

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What the core consists of is no place of a program.
func TestFrame_Own(t *testing.T) {
	const root = "../../../.."
	if _, err := os.Stat(filepath.Join(root, "thread")); err != nil {
		t.Skip("SKIPPED, NOTHING TESTED: the core is not in this directory")
	}
	for dir, own := range map[string]bool{"thread": true, "mainthread": true, "keyed": true,
		"recorder/recorderhttp": true, "rig/oracle": false, "cmd/threadcall": false} {
		check(t, dir, own)
	}
	internal, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range internal {
		check(t, "internal/"+dir.Name(), true)
	}
}

func check(t *testing.T, dir string, own bool) {
	t.Helper()
	f := Frame{Func: "github.com/threadcall/threadcall/" + dir + ".(*T).f.func1"}
	if f.Own() != own {
		t.Errorf("%s is threadcall's own: %v, want %v", f.Func, !own, own)
	}
}

func TestDistribution(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var d Distribution
		var all []uint64
		sum := 0.0
		for range rnd.IntN(3000) + 1 {
			x := uint64(math.Exp(rnd.Float64() * 30))
			d.Add(x)
			all = append(all, x)
			sum += float64(x)
		}
		slices.Sort(all)
		d.Finish()
		if d.N != uint64(len(all)) || d.Sum != sum || d.Min != float64(all[0]) ||
			d.Max != float64(all[len(all)-1]) {
			t.Errorf("seed %d: %+v", seed, d)
		}
		half, before := 0.0, sum
		for _, x := range all { // up to the one with which the larger ones have half of the sum
			if half, before = float64(x), before-float64(x); before < sum/2 {
				break
			}
		}
		if math.Abs(d.Half-half) > half/8+1 {
			t.Errorf("seed %d: half of the sum is in numbers of %v, want %v", seed, d.Half, half)
		}
		for _, q := range []struct{ q, got float64 }{{0.5, d.P50}, {0.99, d.P99}} {
			want := float64(all[max(0, int(math.Ceil(q.q*float64(len(all))))-1)])
			if want < 15 && q.got != want || math.Abs(q.got-want) > want/16 {
				t.Errorf("seed %d: the quantile %v is %v, want %v", seed, q.q, q.got, want)
			}
		}
	}
}
