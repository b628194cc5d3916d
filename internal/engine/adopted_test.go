package engine

import (
	"context"
	"runtime"
	"testing"
)

// Otherwise a goroutine, or a thread, that has its number later is taken for it. With Serve, the end of one and Terminate come at
// the same time: one of them sees the other.
func TestAnAdoptedEngineThatAnotherGoroutineTerminatesIsForgotten(t *testing.T) {
	for name, c := range map[string]struct {
		rounds int
		serve  func(e *Engine)
	}{
		"Serve": {200, func(e *Engine) {
			for n := 1; !e.Terminated(); n++ {
				if e.Serve(); n%100 == 0 {
					runtime.Gosched() // where there is one thread
				}
			}
		}},
		"ServeContext": {500, func(e *Engine) { _ = e.ServeContext(context.Background()) }},
	} {
		for range c.rounds {
			e, _ := New(0)
			adopted, done := make(chan bool), make(chan bool)
			go func() {
				defer close(done)
				e.Adopt(false)
				close(adopted)
				c.serve(e)
			}()
			<-adopted
			e.Call(func() {})
			e.Terminate()
			<-done
			if knows(e) {
				t.Fatalf("%s: the thread is still known", name)
			}
		}
	}
}
