package thread_test

import (
	"context"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// Each way to have a function run, by itself. What they cost beside other designs is measured in internal/bench;
// these are for threadcall allocs, which looks whether they allocate.

func BenchmarkThread(b *testing.B) {
	t := thread.New()
	defer t.Terminate()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var local thread.Local[int]
	nested := func() { t.Call(nop) }
	answer := func() int { return 42 }
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"Call", func() { t.Call(nop) }},
		{"CallContext", func() { _ = t.CallContext(ctx, nop) }},
		{"Go", func() { t.Go(nop); t.Call(nop) }},
		{"Eval", func() { thread.Eval(t, answer) }},
		{"nested", func() { t.Call(nested) }},
		{"EvalContext", func() { _, _ = thread.EvalContext(ctx, t, answer) }},
		{"TLS", func() { t.SetTLS(t); t.GetTLS(); local.Set(t, 1); local.Get(t) }},
		{"On", func() { t.On() }},
	} {
		b.Run(c.name, func(b *testing.B) { repeat(b, c.f) })
	}
}

func BenchmarkPool(b *testing.B) {
	p := thread.NewPool(2)
	defer p.Terminate()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	answer := func() int { return 42 }
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"Call", func() { p.Call(nop) }},
		{"Go", func() { p.Go(nop); p.Call(nop) }},
		{"CallContext", func() { _ = p.CallContext(ctx, nop) }},
		{"EvalPool", func() { thread.EvalPool(p, answer) }},
	} {
		b.Run(c.name, func(b *testing.B) { repeat(b, c.f) })
	}
}

// Serve is what a host's event loop calls.
func BenchmarkServe(b *testing.B) {
	done := make(chan bool)
	go func() {
		defer close(done)
		t := thread.Adopt()
		defer t.Terminate()
		repeat(b, func() { t.Go(nop); t.Serve() })
	}()
	<-done
}

func repeat(b *testing.B, f func()) {
	f() // what is made the first time
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
}
