package thread_test

import (
	"testing"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

// The variables here have no locks of their own: the race detector says whether the calls order what happens to them.

func TestACallSeesWhatItsCallerWroteAndTheCallerWhatItWrote(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		asked, answered := 0, 0
		for i := range 1000 {
			asked = i
			w.call(func() { answered = asked })
			if answered != i {
				t.Fatalf("asked for %d and got %d", i, answered)
			}
		}
	})
}

func TestFunctionsOnOneThreadSeeEachOther(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		const callers, calls = 8, 500
		count := 0
		ends(t, func() {
			var wg group.Group
			for i := range callers {
				wg.Go(func() {
					for range calls {
						if i%2 == 0 {
							w.call(func() { count++ })
						} else {
							w.post(func() { count++ })
						}
					}
				})
			}
			wg.Wait()
		})
		total := 0
		w.call(func() { total = count })
		if total != callers*calls {
			t.Errorf("%d functions ran, want %d", total, callers*calls)
		}
	})
}

func TestAPostedFunctionSeesWhatItsPosterWrote(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		wrote, saw := 0, 0
		for i := range 1000 {
			wrote = i
			w.post(func() { saw += wrote })
			w.call(nop)
		}
		if saw != 999*1000/2 {
			t.Errorf("the posted functions saw numbers whose sum is %d", saw)
		}
	})
}

func TestAResultComesBackWhole(t *testing.T) {
	type large struct{ n [64]int }
	th := start(t)
	for i := range 1000 {
		v := thread.Eval(th, func() (v large) {
			for k := range v.n {
				v.n[k] = i
			}
			return v
		})
		for _, n := range v.n {
			if n != i {
				t.Fatalf("a part of result %d is of result %d", i, n)
			}
		}
	}
}
