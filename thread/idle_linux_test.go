package thread_test

import (
	"context"
	"syscall"
	"testing"
	"time"
)

func TestIdle(t *testing.T) {
	if collecting {
		t.Skip("the collector computes all the time")
	}
	th, p, h := start(t), startPool(t, 4), adopt(t)
	go h.do(func() { h.ServeContext(t.Context()) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go th.Call(func() { th.ServeContext(ctx) }) // waits inside a call
	busy := start(t)
	occupy(t, busy.Go)
	for range 3 {
		go busy.Call(nop) // callers that wait use none either
	}
	for range 1000 {
		th.Call(nop)
		p.Call(nop)
		h.Call(nop)
	}
	// What other tests have left behind may still be ending, and the collector may run: the best of a few counts.
	window := shortly(1500 * time.Millisecond)
	allowed := window / 20
	var used time.Duration
	for range 5 {
		before := cpuTime(t)
		time.Sleep(window)
		if used = cpuTime(t) - before; used <= allowed {
			return
		}
	}
	t.Errorf("%v of CPU in %v", used, window)
}

func cpuTime(t *testing.T) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
