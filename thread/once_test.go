package thread_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func TestACallRunsOnceOnTheThreadAndReturnsAfterIt(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		var its uint64
		w.call(func() { its = here() })
		for range 100 {
			runs := 0
			if !w.call(func() {
				time.Sleep(10 * time.Microsecond)
				runs++
				if here() != its {
					t.Error("the function ran on another thread")
				}
			}) {
				t.Error("the call says that the function did not run")
			}
			if runs != 1 {
				t.Fatalf("the function ran %d times", runs)
			}
		}
	})
}

func TestNilIsNotRun(t *testing.T) {
	th, p := start(t), startPool(t, 2)
	nested := func(f func() bool) (ran bool) {
		th.Call(func() { ran = f() })
		return ran
	}
	for name, f := range map[string]func() bool{
		"Call":               func() bool { return th.Call(nil) },
		"a nested Call":      func() bool { return nested(func() bool { return th.Call(nil) }) },
		"Go":                 func() bool { return th.Go(nil) },
		"CallContext":        func() bool { return th.CallContext(t.Context(), nil) == nil },
		"a nested one":       func() bool { return nested(func() bool { return th.CallContext(t.Context(), nil) == nil }) },
		"Pool.Call":          func() bool { return p.Call(nil) },
		"Pool.Go":            func() bool { return p.Go(nil) },
		"Eval":               func() bool { return thread.Eval[bool](th, nil) },
		"EvalPool":           func() bool { _, ok := thread.EvalPool[int](p, nil); return ok },
		"EvalPool's result":  func() bool { v, _ := thread.EvalPool[bool](p, nil); return v },
		"Call, terminated":   func() bool { e := thread.New(); e.Terminate(); return e.Call(nil) },
		"Error, after a nil": func() bool { return th.Error() != nil || p.Error() != nil },
	} {
		if f() {
			t.Errorf("%s: true for a nil function", name)
		}
	}
	if !th.Call(nop) || !p.Call(nop) {
		t.Error("the thread did not live on")
	}
}

// A promise is one function on its way, and what its caller was told.
type promise struct {
	told  bool // that it ran, or was queued
	async bool
	runs  atomic.Int32
}

func (p *promise) run() { p.runs.Add(1) }

func (p *promise) kept() bool {
	n := p.runs.Load()
	switch {
	case !p.told:
		return n == 0
	case p.async:
		return n <= 1 // Terminate may have come before it began
	}
	return n == 1
}

func TestNothingIsLostWhateverHappensAtTheSameMoment(t *testing.T) {
	r := seeded(t)
	unit := time.Microsecond
	if runtime.GOARCH == "wasm" {
		unit *= 20 // its only P starts one thread after the other
	}
	var mu sync.Mutex
	var all []*promise
	ends(t, func() {
		for range scaled(800) {
			th, p := thread.New(), thread.NewPool(1+r.IntN(3))
			var callers group.Group
			for range 6 {
				r := fork(r)
				callers.Go(func() {
					for range 20 {
						one := someCall(r, th, p)
						mu.Lock()
						all = append(all, one)
						mu.Unlock()
					}
				})
			}
			time.Sleep(time.Duration(r.IntN(200)) * unit)
			th.Terminate()
			p.Terminate()
			callers.Wait()
		}
	})
	ran := 0
	for _, one := range all {
		if !one.kept() {
			t.Fatalf("a function ran %d times although its caller was told %v", one.runs.Load(), one.told)
		}
		ran += int(one.runs.Load())
	}
	if ran == 0 || ran == len(all) {
		t.Errorf("%d of %d functions ran: nothing was tested", ran, len(all))
	}
}

func someCall(r *rand.Rand, th *thread.Thread, p *thread.Pool) *promise {
	one := new(promise)
	switch r.IntN(8) {
	case 0, 1:
		one.told = th.Call(one.run)
	case 2:
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(50))*time.Microsecond)
		defer cancel()
		one.told = th.CallContext(ctx, one.run) == nil
	case 3:
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(r.IntN(50))*time.Microsecond, cancel)
		one.told = th.CallContext(ctx, one.run) == nil
	case 4:
		one.async = true
		one.told = th.Go(one.run)
	case 5:
		one.told = p.Call(one.run)
	case 6:
		one.async = true
		one.told = p.Go(one.run)
	case 7:
		one.told = thread.Eval(th, func() bool { one.run(); return true })
	}
	return one
}
