package engine

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

// A thread and its caller need two cores, so at most half as many threads spin. A machine that
// emulates more cores than it has, see .ci/cores, is slower than one that has them, but
// counts the same things; the table is for a person to read.
func TestSpinSlots_loads(t *testing.T) {
	calls := 40_000
	if testing.Short() {
		calls = 4000
	}
	n := runtime.NumCPU()
	half := max(1, n/2)
	own, first := func(caller, _ int) int { return caller }, func(int, int) int { return 0 }
	var table strings.Builder
	fmt.Fprintf(&table, "| %d cores | calls | threads parked | most that spun at once |\n"+
		"| --- | --- | --- | --- |\n", n)
	for _, l := range []struct {
		name             string
		threads, callers int
		next             func(caller, call int) (thread int) // nil for a pool
	}{
		{"a pair", 1, 1, own},
		{"half as many pairs", half, half, own},
		{"as many pairs", n, n, own},
		{"as many threads in turn", n, 1, func(_, call int) int { return call % n }},
		{"as many callers, a thread", 1, n, first},
		{"as many callers, a pool", n, n, nil},
	} {
		p, o := NewPool(l.threads, 0, func(int) func() { return nil })
		var engines []*Engine
		if l.next == nil {
			p.Start(false)
			engines = p.workers
		} else {
			for range l.threads {
				engines = append(engines, start(t))
			}
		}
		var ran, most atomic.Int32
		fn := func() {
			n := int32(0)
			for i := range spinners.slots {
				if spinners.slots[i].owner.Load() != 0 {
					n++
				}
			}
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			ran.Add(1)
		}
		var callers testutil.Group
		for caller := range l.callers {
			callers.Go(func() {
				for i := range calls / l.callers {
					if l.next == nil {
						p.Call(fn)
					} else {
						engines[l.next(caller, i)].Call(fn)
					}
				}
			})
		}
		callers.Wait()
		parked := 0
		for _, e := range engines {
			e.Call(func() { parked += e.idleState.sleeps })
			e.Terminate()
		}
		runtime.KeepAlive(o)
		fmt.Fprintf(&table, "| %s | %d | %d | %d |\n", l.name, ran.Load(), parked, most.Load())
		if int(most.Load()) > half || int(ran.Load()) != calls/l.callers*l.callers {
			t.Errorf("%s: %d threads have spun at once on %d cores, or not %d calls have run",
				l.name, most.Load(), n, calls)
		}
	}
	t.Log(table.String())
}
