package mainthread_test

import (
	"context"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// uses are ways to have a function run that allocate nothing in the steady state.
func uses(t testing.TB) map[string]func() {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	type large [128]int
	answer, largeAnswer := func() int { return 42 }, func() large { return large{} }
	nest := func() { mainthread.Call(nop); mainthread.CallV(answer) }
	redraw := mainthread.Coalesce(nop)
	return map[string]func(){
		"Coalesce":      func() { redraw(); redraw(); mainthread.Call(nop) },
		"Assert":        func() { mainthread.Call(mainthread.Assert) },
		"Call":          func() { mainthread.Call(nop); mainthread.MustCall(nop) },
		"CallV":         func() { mainthread.CallV(answer); mainthread.CallV(largeAnswer) },
		"CallContext":   func() { _ = mainthread.CallContext(ctx, nop) },
		"EvalContext":   func() { _, _ = thread.EvalContext(ctx, mainthread.Thread(), answer) },
		"Go":            func() { mainthread.Go(nop); mainthread.Go(nop); mainthread.Call(nop) },
		"GoContext":     func() { mainthread.GoContext(ctx, nop); mainthread.Call(nop) },
		"Stats":         func() { mainthread.Call(nop); mainthread.Stats() },
		"nested":        func() { mainthread.Call(nest) },
		"On, TakePanic": func() { mainthread.On(); mainthread.TakePanic() },
	}
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, f := range uses(t) {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations a run", name, n)
		}
	}
}

// BenchmarkMainThread is for threadcall allocs.
func BenchmarkMainThread(b *testing.B) {
	for name, f := range uses(b) {
		b.Run(name, func(b *testing.B) {
			f() // what is made the first time
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
