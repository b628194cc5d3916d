package lanes

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// made are tables with one function a stack.
type made []string // names

func (m made) Name(n int32) string { return m[n] }
func (m made) Thread(int64) string { return "" }

func (m made) Stack(n int32) []report.Frame {
	if n == 0 {
		return nil
	}
	return []report.Frame{{Func: fmt.Sprintf("example.com/p.f%d", n), File: "/src/p/p.go",
		Line: uint64(n)}}
}

func (m made) Place(n int32) report.Frame { return m.Stack(max(n, 1))[0] }

// random returns a file of goroutines that change between states for an hour or less, and its
// intervals.
func random(t *testing.T, seed uint64) (*File, []Interval) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	w, err := Create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	var all []Interval
	end := time.Duration(1) << (10 + rnd.IntN(30))
	for g := range int64(1 + rnd.IntN(20)) {
		most := max(2, int64(end)>>rnd.IntN(12))
		at := time.Duration(rnd.Int64N(int64(end)))
		all = append(all, Interval{
			Kind: Life, Start: at, Length: end - at, Goroutine: g + 1, Thread: None, By: None, Name: 1,
		})
		for n := 0; at < end && n < 1000; n++ {
			v := Interval{
				Kind: Kind(rnd.IntN(5)), Start: at, Goroutine: g + 1, Thread: None, By: rnd.Int64N(4) - 1,
				Stack: int32(rnd.IntN(9)),
			}
			v.Length = min(time.Duration(rnd.Int64N(most)>>rnd.IntN(20)), end-at)
			if v.Kind <= Syscall {
				v.Thread = g
			}
			all = append(all, v)
			at = v.End()
			if rnd.IntN(9) == 0 {
				all = append(all, Interval{Kind: Region, Start: at, Goroutine: g + 1, Thread: None, By: None,
					Name: 2, Task: rnd.Uint64N(3)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Interval) int { return cmp.Compare(a.End(), b.End()) })
	for i := range all {
		w.Add(&all[i])
	}
	w.Finish(end, made{"", "main.g", "category"})
	return w, all
}

func TestFile_Tiles(t *testing.T) {
	for seed := range uint64(20) {
		file, all := random(t, seed)
		var kept []Interval
		if err := file.Scan(func(v *Interval) { kept = append(kept, *v) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(kept, all) {
			t.Errorf("seed %d: %d intervals are not the %d that were added", seed, len(kept), len(all))
		}
		const columns = 100
		windows := []Window{{Columns: columns, Lanes: 1000}}
		rnd := rand.New(rand.NewPCG(seed, 3))
		for range 5 {
			w := windows[0]
			w.From = time.Duration(rnd.Int64N(int64(file.Duration)))
			w.To = w.From + 1 + time.Duration(rnd.Int64N(int64(file.Duration-w.From)))>>rnd.IntN(10)
			windows = append(windows, w)
		}
		tiles, err := file.Tiles(windows)
		if err != nil {
			t.Fatal(err)
		}
		for _, tile := range tiles {
			from, to := time.Duration(tile.From), time.Duration(tile.To)
			want := map[int64][5]float64{}
			for _, v := range all {
				if v.Kind <= Lock {
					sums := want[v.Goroutine]
					sums[v.Kind] += float64(v.Within(from, to))
					want[v.Goroutine] = sums
				}
			}
			if !slices.IsSortedFunc(tile.Lanes, func(a, b Lane) int {
				return cmp.Compare(want[b.ID][Running], want[a.ID][Running])
			}) {
				t.Errorf("seed %d: the lanes are not in the order of running time", seed)
			}
			for _, l := range tile.Lanes {
				var got [5]float64
				for i, b := range l.Bars {
					if float64(b[1]) < tile.Step || i > 0 && l.Bars[i-1][0] > b[0] {
						t.Errorf("seed %d: bar %v, step %v", seed, b, tile.Step)
					}
					v := Interval{Start: time.Duration(b[0]), Length: time.Duration(b[1])}
					got[b[2]] += float64(v.Within(from, to))
				}
				for _, c := range l.Fine {
					if c[0] < 0 || c[0] >= columns || c[1]+c[2]+c[3]+c[4]+c[5] > 1003 {
						t.Errorf("seed %d: column %v", seed, c)
					}
					for k := range got {
						got[k] += float64(c[k+1]) / 1000 * tile.Step
					}
				}
				for k := range got {
					if math.Abs(got[k]-want[l.ID][k]) > 1+tile.Step*columns/1000 {
						t.Errorf("seed %d, %v to %v, goroutine %d: %v for %v, want %v", seed, from, to, l.ID,
							got[k], KindNames[k], want[l.ID][k])
					}
				}
			}
		}
	}
}
