//go:build unix

package sched

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// A goroutine in a system call may keep a P.
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
	for start := time.Now(); ; runtime.Gosched() {
		go func() {}() // it waits for the only P
		if waiting, _ := l.Waiting(n); waiting {
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatal("goroutines in system calls do not count")
		}
	}
}
