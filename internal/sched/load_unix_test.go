//go:build unix

package sched

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// A goroutine in a system call may keep a P. With one P and n such goroutines, n + 1 Ps are not
// free while the test runs.
func TestLoad_Waiting_systemCalls(t *testing.T) {
	var l Load
	if _, ok := l.Waiting(0); !ok {
		t.Skip("this version of Go does not tell")
	}
	const n = 20
	ends := make([]int, 2)
	if err := syscall.Pipe(ends); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	for range n {
		go func() {
			_, _ = syscall.Read(ends[0], make([]byte, 1))
			done <- true
		}()
	}
	defer syscall.Close(ends[0])
	defer syscall.Close(ends[1])
	defer func() {
		if _, err := syscall.Write(ends[1], make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		for range n {
			<-done
		}
	}()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	eventually := func(what string, ready bool, condition func() bool) {
		t.Helper()
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			runtime.Gosched() // those that were ready have run
			if ready {
				go func() {}() // it waits for the only P
			}
			if condition() {
				return
			}
			if time.Since(start) > 30*time.Second {
				t.Fatal("not within 30 seconds: " + what)
			}
		}
	}
	waiting := func(ps int) bool {
		waiting, _ := l.Waiting(ps)
		return waiting
	}
	eventually("all are in system calls", false, func() bool {
		var all Load
		return all.read(len(all.samples)) && all.samples[2].Value.Uint64() == n
	})
	eventually("none waits", false, func() bool { return !waiting(0) && !waiting(1) })
	eventually("one waits for the only P", true, func() bool { return waiting(0) && waiting(1) })
	eventually("one waits, and system calls keep all Ps", true, func() bool { return waiting(n + 1) })
	eventually("one waits, and a P is free", true, func() bool { return !waiting(n + 2) })
}
