package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestMoves_areThoseThatGoroutinesSee counts them in a ring of goroutines, one of them locked.
func TestMoves_areThoseThatGoroutinesSee(t *testing.T) {
	const members, tokens, rounds = 8, 4, 1000
	var seen atomic.Int64
	traced, err := moves(4, func() {
		var ring [members]chan bool
		for i := range ring {
			ring[i] = make(chan bool, tokens) // a send does not block
		}
		for range tokens {
			ring[0] <- true
		}
		var all sync.WaitGroup
		for i := range ring {
			all.Go(func() {
				if i == 0 {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
				}
				on := syscall.Gettid()
				for range rounds {
					<-ring[i]
					if now := syscall.Gettid(); now != on {
						seen.Add(1)
						on = now
					}
					ring[(i+1)%members] <- true
				}
			})
		}
		all.Wait()
	})
	most := seen.Load() + seen.Load()/10 + 20 // others move, and some move without seeing it
	if err != nil || int64(traced) < seen.Load() || int64(traced) > most {
		t.Errorf("%d moves in the trace, goroutines saw %d, %v", traced, seen.Load(), err)
	}
}
