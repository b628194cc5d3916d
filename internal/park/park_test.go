package park

import (
	"context"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// programs are what THREADCALL_PROGRAM may name: processes of their own.
var programs = map[string]func(){}

func TestMain(m *testing.M) {
	if program := programs[os.Getenv("THREADCALL_PROGRAM")]; program != nil {
		program()
		return
	}
	os.Exit(m.Run())
}

func TestPause(t *testing.T) {
	product := 1.0
	for i := range 100_000 {
		Pause()
		product *= 1 + 1/float64(i+1)
	}
	if product < 100_000 || product > 100_002 {
		t.Errorf("the product is %v", product)
	}
	if n := testing.AllocsPerRun(100, Pause); n != 0 {
		t.Errorf("Pause allocates %v times", n)
	}
}

func TestToken(t *testing.T) {
	for _, latched := range []bool{false, true} {
		token := NewToken(latched)
		for range 3 {
			token.Wake()
			token.Wake()
			if !token.Wait(context.Background()) {
				t.Errorf("latched: %v; no token after two wake-ups", latched)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			if token.Wait(ctx) {
				t.Errorf("latched: %v; two tokens after two wake-ups", latched)
			}
			cancel()
		}
	}
}

func TestRelax(t *testing.T) {
	if pauses < 1 || pauses > 80 {
		t.Errorf("%d pauses", pauses)
	}
	if n := testing.AllocsPerRun(100, Relax); n != 0 {
		t.Errorf("Relax allocates %v times", n)
	}
}

func TestLoad_Waiting(t *testing.T) {
	var l Load
	if _, ok := l.Waiting(); !ok || runtime.GOARCH == "wasm" {
		t.Skip("this version of Go does not tell, or nothing runs beside this")
	}
	var stop atomic.Bool
	defer stop.Store(true)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
				for range 1000 {
					Pause()
				}
				runtime.Gosched() // with asynchronous preemption off, nothing could stop the world otherwise
			}
		}()
	}
	for start := time.Now(); ; runtime.Gosched() {
		if n, _ := l.Waiting(); n > 0 {
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatal("twice as many goroutines as Ps compute, and none waits")
		}
	}
	if n := testing.AllocsPerRun(100, func() { l.Waiting() }); n != 0 {
		t.Errorf("Waiting allocates %v times", n)
	}
}

func TestLoad_Yield(t *testing.T) {
	var l Load
	yields := 0
	l.Yield(func() { yields++; time.Sleep(time.Millisecond) })
	if next := l.next; yields != 1 || next < 100*time.Millisecond {
		t.Fatalf("%d yields; the next after %v", yields, next)
	}
	l.next = Now() + time.Hour
	if l.Yield(func() { yields++ }); yields != 1 {
		t.Error("it yields too early")
	}
	l.next = Now()
	if l.Yield(func() { yields++ }); yields != 2 {
		t.Error("it does not yield again")
	}
}
