package sched

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/park"
)

func TestLoad_Waiting(t *testing.T) {
	var l Load
	if _, ok := l.Waiting(0); !ok || runtime.GOARCH == "wasm" {
		t.Skip("this version of Go does not tell, or nothing runs beside this")
	}
	var stop atomic.Bool
	defer stop.Store(true)
	ps := runtime.GOMAXPROCS(0)
	for range 2 * ps {
		go func() {
			for !stop.Load() {
				for range 1000 {
					park.Pause()
				}
				runtime.Gosched() // with asynchronous preemption off, nothing could stop the world otherwise
			}
		}()
	}
	for start := time.Now(); ; runtime.Gosched() {
		if waiting, _ := l.Waiting(ps); waiting {
			break
		}
		if waiting, _ := l.Waiting(1000); waiting {
			t.Fatal("one waits although most of 1,000 Ps are free")
		}
		if time.Since(start) > 30*time.Second {
			t.Fatal("twice as many goroutines as Ps compute, and none waits")
		}
	}
	if n := testing.AllocsPerRun(100, func() { l.Waiting(ps) }); n != 0 {
		t.Errorf("Waiting allocates %v times", n)
	}
}

func TestLoad_Yield(t *testing.T) {
	var l Load
	yields := 0
	yielded := l.Yield(func() { yields++; time.Sleep(time.Millisecond) })
	if next := l.next; !yielded || yields != 1 || next < 100*time.Millisecond {
		t.Fatalf("%d yields; the next after %v", yields, next)
	}
	l.next = clock.Now() + time.Hour
	if l.Yield(func() { yields++ }) || yields != 1 {
		t.Error("it yields too early")
	}
	l.next = clock.Now()
	if !l.Yield(func() { yields++ }) || yields != 2 {
		t.Error("it does not yield again")
	}
}
