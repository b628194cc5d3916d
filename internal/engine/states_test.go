package engine

import (
	"fmt"
	"testing"
	"time"
)

// What looks at a thread has nothing observed, and what has been observed is not any more when
// nothing asks for it.
func TestStates_observeNothing(t *testing.T) {
	e, o := New(0)
	e.SetName("seen")
	e.Start(nil, false)
	defer e.Terminate()
	observed := func() bool { e.Call(func() {}); return e.observer.Load() != nil }
	e.Stats()
	states, _ := States()
	AddStacks(states)
	if observed() {
		t.Error("a look has functions observed")
	}
	for name, observe := range map[string]func(on bool){
		"Measure": e.Measure,
		"Watch": func(on bool) {
			if o.Watch(time.Hour, func(Slow) {}); !on {
				o.Watch(0, nil)
			}
		},
	} {
		if observe(true); !observed() {
			t.Errorf("%s has nothing observed", name)
		}
		if observe(false); observed() {
			t.Errorf("functions are still observed after %s", name)
		}
	}
}

// A program that has a name for each connection has few names, and loses no count.
func TestStates_haveFewNames(t *testing.T) {
	all.mu.Lock()
	before := all.names
	all.names = nil
	all.mu.Unlock()
	defer func() {
		all.mu.Lock()
		all.names = before
		all.mu.Unlock()
	}()
	const n = 3 * maxNames
	for i := range n {
		e, _ := New(0)
		e.SetName(fmt.Sprint("connection ", i))
		e.Start(nil, false)
		e.Call(func() {})
		e.Terminate()
		<-e.Done()
		e.Go(func() {})
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	var sum Stats
	for _, l := range all.names {
		sum.Refused += l.refused.Load()
		sum.add(l.ended)
	}
	if len(all.names) != maxNames+1 || sum.Returned != n || sum.Refused != n {
		t.Errorf("%d names, %d functions, %d refused", len(all.names), sum.Returned, sum.Refused)
	}
}
