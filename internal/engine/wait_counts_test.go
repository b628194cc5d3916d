package engine

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/group"
)

// What is counted of a load. A machine that emulates more cores than it has, see internal/ports, is
// slower than one that has them, but counts the same things.
type counts struct {
	calls, parked, wakeUps int
	begun, most            int // spins of threads, and most slots that were taken at once
}

// spun is what a thread knows of its spins. The functions that it runs look whether another has
// begun. Each that begins ends before the thread waits for a call in another way, so none is
// missed.
type spun struct {
	spins bool
	begun int
}

func (s *spun) look(e *Engine) {
	if spins := e.idleState.slot != nil; spins && !s.spins {
		s.begun++
	}
	s.spins = e.idleState.slot != nil
}

// A load calls the first of n threads, or others, from goroutines of its own.
type load struct {
	name             string
	threads, callers int
	pooled           bool
	next             func(caller, call int) (thread int)
}

func loads(n int) []load {
	own, half := func(caller, _ int) int { return caller }, max(1, n/2)
	return []load{
		{name: "a pair", threads: 1, callers: 1, next: own},
		{name: fmt.Sprintf("%d pairs", half), threads: half, callers: half, next: own},
		{name: fmt.Sprintf("%d pairs", n), threads: n, callers: n, next: own},
		{name: fmt.Sprintf("%d threads in turn", n), threads: n, callers: 1,
			next: func(_, call int) int { return call % n }},
		{name: fmt.Sprintf("%d callers, a thread", n), threads: 1, callers: n,
			next: func(int, int) int { return 0 }},
		{name: fmt.Sprintf("%d callers, a pool of %[1]d", n), threads: n, callers: n, pooled: true},
	}
}

// A thread and its caller need two cores. How often callers and threads were parked is for a person
// to read.
func TestSpinSlots_loads(t *testing.T) {
	calls := 40_000
	if testing.Short() {
		calls = 4000
	}
	n := runtime.NumCPU()
	runtime.SetBlockProfileRate(1)
	defer runtime.SetBlockProfileRate(0)
	var table strings.Builder
	fmt.Fprintf(&table, "%d cores\n| %d cores | calls | callers parked | threads parked | "+
		"spins begun | most at once |\n"+
		"| --- | --- | --- | --- | --- | --- |\n", n, n)
	for _, l := range loads(n) {
		c := l.count(calls / l.callers)
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d |\n",
			l.name, c.calls, c.parked, c.wakeUps, c.begun, c.most)
		if limit := max(1, n/2); c.most > limit {
			t.Errorf("%s: %d threads have spun at once; there are %d cores", l.name, c.most, n)
		}
		if c.calls != calls/l.callers*l.callers {
			t.Errorf("%s: %d functions have run of %d", l.name, c.calls, calls)
		}
	}
	t.Log(table.String())
}

// count makes so many calls from each caller of the load.
func (l load) count(each int) (c counts) {
	var engines []*Engine
	var pool *Pool
	var end func()
	if l.pooled {
		p, o := NewPool(l.threads, 0, func(int) func() { return nil })
		p.Start(false)
		pool, engines = p, p.workers
		end = func() { p.Terminate(); runtime.KeepAlive(o) }
	} else {
		var owners []*Owner
		for range l.threads {
			e, o := New(0)
			e.Start(nil, false)
			engines, owners = append(engines, e), append(owners, o)
		}
		end = func() {
			for _, e := range engines {
				e.Terminate()
			}
			runtime.KeepAlive(owners)
		}
	}
	defer end()
	spins := map[*Engine]*spun{}
	var ran, most atomic.Int32
	for _, e := range engines {
		spins[e] = new(spun)
		e.Call(func() {}) // it has begun
	}
	fn := func() {
		e := threads.current()
		spins[e].look(e)
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
	parked := callersParked()
	var callers group.Group
	for caller := range l.callers {
		callers.Go(func() {
			for i := range each {
				if pool != nil {
					pool.Call(fn)
				} else {
					engines[l.next(caller, i)].Call(fn)
				}
			}
		})
	}
	callers.Wait()
	c.parked = callersParked() - parked
	for _, e := range engines {
		e.Call(func() {
			spins[e].look(e)
			c.begun += spins[e].begun
			c.wakeUps += e.idleState.sleeps
		})
	}
	c.calls, c.most = int(ran.Load()), int(most.Load())
	return c
}

// callersParked tells how often goroutines have waited for the token of a call.
func callersParked() (n int) {
	records := make([]runtime.BlockProfileRecord, 1000)
	for {
		found, ok := runtime.BlockProfile(records)
		if ok {
			records = records[:found]
			break
		}
		records = make([]runtime.BlockProfileRecord, 2*found)
	}
	for _, r := range records {
		frames := runtime.CallersFrames(r.Stack())
		for more := true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); strings.HasSuffix(f.Function, "park.(*Token).Wait") {
				n += int(r.Count)
				break
			}
		}
	}
	return n
}
