package mainthread_test

import (
	"context"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// BenchmarkMainThread is for threadcall allocs: these ways to have a function run allocate nothing
// in the steady state.
func BenchmarkMainThread(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type large [128]int
	answer, largeAnswer := func() int { return 42 }, func() large { return large{} }
	nest := func() { mainthread.Call(nop); mainthread.MustEval(answer) }
	main := mainthread.Thread()
	redraw := main.Coalesce(nop)
	for name, f := range map[string]func(){
		"Coalesce":    func() { redraw(); redraw(); mainthread.Call(nop) },
		"Assert":      func() { mainthread.Call(mainthread.Assert) },
		"Call":        func() { mainthread.Call(nop); mainthread.MustCall(nop) },
		"MustEval":    func() { mainthread.MustEval(answer); mainthread.MustEval(largeAnswer) },
		"CallContext": func() { _ = mainthread.CallContext(ctx, nop) },
		"EvalContext": func() { _, _ = thread.EvalContext(ctx, main, answer) },
		"Go":          func() { mainthread.Go(nop); mainthread.Go(nop); mainthread.Call(nop) },
		"GoContext":   func() { main.GoContext(ctx, nop); mainthread.Call(nop) },
		"Stats":       func() { mainthread.Call(nop); main.Stats() },
		"nested":      func() { mainthread.Call(nest) },
		"On":          func() { mainthread.On() },
	} {
		b.Run(name, func(b *testing.B) {
			f() // what is made the first time
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
