package mainthread_test

import (
	"context"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

// Each way to have a function run, for threadcall allocs to look whether it allocates.
func BenchmarkMainThread(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	nothing := func() {}
	answer := func() int { return 42 }
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"Call", func() { mainthread.Call(nothing) }},
		{"CallV", func() { mainthread.CallV(answer) }},
		{"CallContext", func() { _ = mainthread.CallContext(ctx, nothing) }},
		{"Go", func() { mainthread.Go(nothing); mainthread.Call(nothing) }},
		{"On", func() { mainthread.On() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.f() // what is made the first time
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}
