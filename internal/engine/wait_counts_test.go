package engine

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/spin"
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
		p, o := NewPool(l.threads, Config{})
		var engines []*Engine
		if l.next == nil {
			p.Start()
			engines = p.workers
		} else {
			for range l.threads {
				engines = append(engines, start(t))
			}
		}
		var ran, most atomic.Int32
		fn := func() {
			var seen []time.Duration
			for _, e := range engines {
				if e.waits.Spin.Load() > 0 {
					seen = append(seen, time.Duration(e.Counts.At.Load()))
				}
			}
			n, now := int32(0), clock.Now()
			for _, at := range seen {
				if now-at < spin.CoreLost { // else another may have its slot, and it does not know yet
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
		if l.next == nil {
			ends(t, p)
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

// Callers that look or take turns hold a P without running anything. With many Ps and cores they
// are at most one less than the cores that threads have left, and with functions that take longer
// than parking one or none in the mean: the one that has just woken the thread.
func TestCallers_thatHoldAP(t *testing.T) {
	const ps = 16
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(ps))
	defer spin.Spinners.Checked.Store(spin.Spinners.Checked.Swap(int64(clock.Now() + time.Hour)))
	defer spin.Spinners.Cores.Store(spin.Spinners.Cores.Swap(ps))
	defer spin.Spinners.Procs.Store(spin.Spinners.Procs.Swap(ps))
	samples := 100
	if testing.Short() {
		samples = 20
	}
	var table strings.Builder
	table.WriteString("| callers | function, µs | look, mean | most | take turns, most |\n" +
		"| --- | --- | --- | --- | --- |\n")
	for _, callers := range []int{2, 4, 16, 64, 256} {
		for _, function := range []time.Duration{0, 3 * time.Microsecond, 80 * time.Microsecond} {
			e := start(t)
			f := func() {
				for begin := clock.Now(); clock.Now()-begin < function; {
				}
			}
			var over atomic.Bool
			var calls atomic.Int64
			var all testutil.Group
			for range callers {
				all.Go(func() {
					for !over.Load() {
						e.Call(f)
						calls.Add(1)
					}
				})
			}
			sum, most, turns := 0, 0, 0
			stacks := make([]byte, 1<<20)
			for range samples {
				before := calls.Load() // each sample is of other calls
				for calls.Load()-before < int64(min(callers, ps)) {
					runtime.Gosched()
				}
				text := string(stacks[:runtime.Stack(stacks, true)])
				n := strings.Count(text, "spin.(*State).look(")
				sum, most = sum+n, max(most, n)
				turns = max(turns, strings.Count(text, "spin.takeTurns("))
			}
			over.Store(true)
			all.Wait()
			e.Terminate()
			mean := float64(sum) / float64(samples)
			fmt.Fprintf(&table, "| %d | %d | %.2f | %d | %d |\n", callers,
				function/time.Microsecond, mean, most, turns)
			if most >= ps || turns > 2 || function > 40*time.Microsecond && mean > 1 {
				t.Errorf("%d callers, functions of %v: %.2f look in the mean, %d at most, %d take turns",
					callers, function, mean, most, turns)
			}
		}
	}
	t.Log(table.String())
}
