package callq

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// Close comes while the thread works off what it has taken. Each call is either the thread's or the closer's.
func TestCloseAndTakeShareTheCallsBetweenThem(t *testing.T) {
	const n = 200
	rounds := 3000
	if testing.Short() {
		rounds = 200
	}
	divided := 0
	for round := range rounds {
		q := New()
		calls := make([]*Call, n)
		for i := range calls {
			calls[i] = q.Get(Awaited, nil, uintptr(i))
			calls[i].Park() // so that the first to settle it is told
			q.Push(calls[i])
		}
		var progress atomic.Int32
		taken := make(chan [n]int)
		go func() {
			var mine [n]int
			for c := q.Take(); c != nil; c = q.Take() {
				progress.Add(1)
				i := c.Poster
				mine[i]++
				if !c.Settle(Ran) {
					t.Errorf("round %d: call %d was settled before it was taken", round, i)
				}
			}
			taken <- mine
		}()
		for progress.Load() <= int32(round%(n/2)) {
			runtime.Gosched()
		}
		q.Close()
		mine := <-taken
		ran := 0
		for i, c := range calls {
			o := c.Outcome()
			if mine[i] > 1 || mine[i] == 1 && o != Ran || mine[i] == 0 && o != Refused {
				t.Errorf("round %d: call %d was taken %d times, and its outcome is %d", round, i, mine[i], o)
			}
			ran += mine[i]
		}
		if t.Failed() {
			return
		}
		if ran > 0 && ran < n {
			divided++
		}
	}
	t.Logf("Close came in the midst of %d of %d rounds", divided, rounds)
}
