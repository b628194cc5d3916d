package engine

import (
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
)

// A caller that finds its outcome at its first looks yields as well.
func TestCall_yieldsAfterItsFirstLooks(t *testing.T) {
	needsSpinning(t)
	e, _ := New(0)
	e.q.Awake() // as a thread that spins
	e.waits.spin.Store(1)
	e.NeverSpin() // so a caller that has not found it parks, and is counted
	over := make(chan bool)
	serves := make(chan bool)
	go func() {
		defer close(serves)
		for {
			select {
			case <-over:
				return
			default:
			}
			for range 1000 {
				if c := e.q.Take(); c != nil {
					c.Settle(callq.Ran)
				}
			}
		}
	}()
	eventually(t, func() bool {
		for range 1000 {
			before := e.unserved.waits.Load()
			e.yields.kind.Store(yieldOwn)
			if e.Call(func() {}); e.yields.kind.Load() != 0 {
				t.Error("a call has returned, and nothing has yielded")
				return true
			}
			if e.unserved.waits.Load() == before {
				return true
			}
		}
		return false
	}, "a caller sees its outcome without parking")
	close(over)
	<-serves
}

// How long callers have looked for a thread that they have woken is what the next attempt costs.
func TestMeet_remembersItsTime(t *testing.T) {
	needsSpinning(t)
	e, _ := New(0)
	c := e.q.Get(callq.Awaited, nil, 0)
	eventually(t, func() bool {
		before := e.waits.met.Load()
		e.waits.meet(c, time.Millisecond)
		return e.waits.met.Load() > before
	}, "a look in vain makes the mean longer")
}
