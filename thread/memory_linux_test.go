package thread_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// footprint is what a process may lose a little of with every call.
type footprint struct {
	bytes, objects, goroutines, threads int
}

func footprintNow() footprint {
	var m runtime.MemStats
	for range 3 { // finalizers and cleanups take a cycle of their own
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return footprint{int(m.HeapAlloc), int(m.HeapObjects), runtime.NumGoroutine(), threads()}
}

func TestTenMillionCallsLeaveNoMoreBehindThanAMillion(t *testing.T) {
	th, p := start(t), startPool(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answer := func() int { return 42 }
	const callsPerRound = 1000
	round := func() {
		for range 900 {
			th.Call(nop)
		}
		for range 20 {
			th.Go(nop)
			p.Go(nop)
			_ = th.CallContext(ctx, nop)
			thread.Eval(th, answer)
		}
		for range 10 {
			p.Call(nop)
			thread.EvalPool(p, answer)
		}
	}

	// A million, or what a slow machine can do in that time.
	allowed := 500 * time.Millisecond
	if raceEnabled || collecting || testing.Short() {
		allowed /= 5
	}
	rounds := 0
	for end := time.Now().Add(allowed); rounds < 1_000_000/callsPerRound && time.Now().Before(end); rounds++ {
		round()
	}
	first := footprintNow()
	more := 0
	for end := time.Now().Add(9 * allowed); more < 9*rounds && time.Now().Before(end); more++ {
		round()
	}
	then := footprintNow()

	t.Logf("after %d calls: %+v; after %d more: %+v", rounds*callsPerRound, first, more*callsPerRound, then)
	if then.bytes > first.bytes+256<<10 || then.objects > first.objects+1000 ||
		then.goroutines > first.goroutines+2 || then.threads > first.threads+8 {
		t.Errorf("it grew from %+v to %+v", first, then)
	}
}

func TestThreadsThatComeAndGoLeaveNothingBehind(t *testing.T) {
	generation := func() {
		for range scaled(100) {
			th, p := thread.New(), thread.NewPool(2)
			th.Call(nop)
			thread.Eval(th, func() int { return 1 })
			p.Call(nop)
			th.Terminate()
			p.Terminate()
		}
	}
	generation()
	var first, then footprint
	settled := func(f *footprint, bound func() bool) {
		eventually(t, func() bool { *f = footprintNow(); return bound() }, "%+v settles", f)
	}
	settled(&first, func() bool { return true })
	for range 5 {
		generation()
	}
	settled(&then, func() bool {
		return then.bytes < first.bytes+256<<10 && then.objects < first.objects+1000 &&
			then.goroutines < first.goroutines+2 && then.threads < first.threads+8
	})
}
