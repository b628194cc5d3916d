package sched

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"
)

// With one P, the network is polled when nothing is left to run, or after 10 ms: 10,000 calls of
// Gosched. The goroutine makes no system call when it has been woken, in which it could lose its P
// for as long as another process has its core.
func TestReschedule_network(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if !Reschedule(false) {
		t.Skip("there is no pipe that the network poller knows")
	}
	for range 10 {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		conn, err := r.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		var waits, ran atomic.Bool
		go func() {
			_ = conn.Read(func(uintptr) bool {
				ran.Store(waits.Swap(true))
				return ran.Load()
			})
		}()
		for n := 0; n < 100; Reschedule(false) { // until the goroutine waits
			if waits.Load() {
				n++
			}
		}
		if _, err := w.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; !ran.Load(); n++ {
			Reschedule(false)
		}
		if n > 100 {
			t.Errorf("the goroutine has run after %d calls", n)
		}
	}
}

func TestReschedule_ends(t *testing.T) {
	if !Reschedule(false) {
		t.Skip("there is no pipe that the network poller knows")
	}
	var stop atomic.Bool
	for _, ends := range []bool{false, true} { // by itself, by EndPass
		done := make(chan bool)
		go func() {
			defer close(done)
			for !stop.Load() {
				if ends {
					EndPass()
				}
				runtime.Gosched()
			}
		}()
		for range 20 {
			for !Reschedule(true) { // its time may pass before it waits
			}
			if EndPass() {
				t.Errorf("ends %t: it goes on", ends)
			}
			if !Reschedule(false) {
				t.Errorf("ends %t: Reschedule does nothing any more", ends)
			}
		}
		stop.Store(true)
		<-done
		stop.Store(false)
	}
}
