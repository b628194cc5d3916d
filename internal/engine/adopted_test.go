package engine

import (
	"context"
	"runtime"
	"testing"
)

// The end of a Serve and Terminate come at the same time: one of them sees the other.
func TestAnAdoptedEngineThatIsTerminatedWhileAServeEndsIsForgotten(t *testing.T) {
	for range 200 {
		e, _ := New(0)
		adopted, done := make(chan bool), make(chan bool)
		go func() {
			defer close(done)
			e.Adopt(false)
			close(adopted)
			for n := 1; !e.Terminated(); n++ {
				if e.Serve(); n%100 == 0 {
					runtime.Gosched() // where there is one thread
				}
			}
		}()
		<-adopted
		e.Call(func() {})
		e.Terminate()
		<-done
		if knows(e) {
			t.Fatal("the thread is still known")
		}
	}
}

// Else a goroutine, or a thread, that has its number later is taken for it.
func TestAnAdoptedEngineThatAnotherGoroutineTerminatesIsForgotten(t *testing.T) {
	rounds := 5000
	if testing.Short() {
		rounds /= 10
	}
	for range rounds {
		e, _ := New(0)
		adopted, done := make(chan bool), make(chan bool)
		go func() {
			defer close(done)
			e.Adopt(false)
			close(adopted)
			_ = e.ServeContext(context.Background())
		}()
		<-adopted
		e.Call(func() {})
		e.Terminate()
		<-done
		if knows(e) {
			t.Error("the thread is still known")
		}
		if t.Failed() {
			return
		}
	}
}
