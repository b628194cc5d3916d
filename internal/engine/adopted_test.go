package engine

import (
	"context"
	"testing"
)

// Else a goroutine, or a thread, that has its number later is taken for it.
func TestAnAdoptedEngineThatAnotherGoroutineTerminatesIsForgotten(t *testing.T) {
	rounds := 5000
	if testing.Short() {
		rounds /= 10
	}
	for range rounds {
		e := New(0)
		adopted, done := make(chan bool), make(chan bool)
		go func() {
			defer close(done)
			e.Adopt()
			close(adopted)
			_ = e.ServeContext(context.Background())
		}()
		<-adopted
		e.Call(func() {})
		e.Terminate()
		<-done
		threads.mu.Lock()
		for g, other := range threads.byG {
			if other == e {
				t.Errorf("the goroutine %#x is still known", g)
			}
		}
		for id, other := range threads.byID {
			if other == e {
				t.Errorf("the thread %d is still known", id)
			}
		}
		threads.mu.Unlock()
		if t.Failed() {
			return
		}
	}
}
