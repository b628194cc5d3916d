package keyed_test

import (
	"context"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/keyed"
)

// calls returns two calls that allocate nothing in the steady state.
func calls(t testing.TB) func() {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	k := keyed.New[int](nil, nil)
	t.Cleanup(k.Close)
	f := func() error { return nil }
	return func() { _ = k.Call(ctx, 1, f); _ = k.Call(ctx, 2, f) }
}

func TestAllocations(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector allocates")
	}
	if n := testing.AllocsPerRun(1000, calls(t)); n != 0 {
		t.Errorf("%v allocations in two calls", n)
	}
}

// BenchmarkThread is for threadcall allocs.
func BenchmarkThread(b *testing.B) {
	f := calls(b)
	f() // makes the threads
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
}
