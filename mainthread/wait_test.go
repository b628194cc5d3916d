package mainthread_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// An event loop inside a function blocks until it is woken, and what is queued meanwhile runs there.
func TestWait(t *testing.T) {
	const n = 100
	events, ran := make(chan bool, 1), make(chan int, 1)
	var open atomic.Bool
	open.Store(true)
	callers := func() {
		count := 0
		for range n {
			mainthread.Go(func() { count++ })
			mainthread.Call(func() {
				if mainthread.On() {
					count++
				}
			})
		}
		mainthread.Call(func() { open.Store(false) })
		ran <- count
	}
	loop := func() {
		mainthread.OnWake(func() {
			select {
			case events <- true:
			default: // one is enough
			}
		})
		defer mainthread.OnWake(nil)
		go callers()
		for open.Load() {
			if !mainthread.Wait(func() { <-events }) {
				t.Error("Wait is false before the function given to Init has ended")
				return
			}
		}
	}
	ended := make(chan bool)
	go func() { mainthread.Call(loop); close(ended) }()
	if count := testutil.Arrives(t, ran); count != 2*n {
		t.Errorf("%d of %d functions ran on the main thread", count, 2*n)
	}
	testutil.Arrives(t, ended)
}

func TestWait_off(t *testing.T) {
	for advice, block := range map[string]func(){
		"off the thread": func() { t.Error("block ran off the main thread") },
		"nil function":   nil,
	} {
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.Contains(v, advice) {
					t.Errorf("Wait panics with %q, want something about %q", v, advice)
				}
			}()
			mainthread.Wait(block)
		}()
	}
}
