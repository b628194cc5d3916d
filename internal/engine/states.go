package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/stack"
)

// A State is what a thread or a pool does, and has done since it was first asked for.
type State struct {
	ID         uintptr // unique in the process
	Name       string  // may be empty
	Pool       bool
	Queued     int
	Unfinished time.Duration // how long the functions that run have run, together
	Stats      Stats
	Threads    []ThreadState
}

// A ThreadState is what one thread does.
type ThreadState struct {
	TID     uint64
	Running time.Duration // how long its function has run; 0 if none runs that is counted
	Stack   []byte        // of its goroutine; may be empty
}

// States returns the states of all threads and pools that have not ended, in the order in which
// they were made. The first call has them count.
func States() (states []State) {
	var all []*Engine
	threads.mu.Lock()
	if table := threads.table.Load(); table != nil {
		for i := range *table {
			if e := (*table)[i].e.Load(); e != nil {
				all = append(all, e)
			}
		}
	}
	threads.mu.Unlock()
	slices.SortFunc(all, func(a, b *Engine) int { return cmp.Compare(a.id, b.id) })
	stacks := allStacks(all)
	of := map[*target]int{} // in states
	for _, e := range all {
		x := e.serves()
		i, ok := of[x]
		if !ok {
			i = len(states)
			of[x] = i
			states = append(states, x.state())
		}
		running := time.Duration(0)
		if o := x.observer.Load(); o != nil {
			running = o.ofThread(e)
		}
		s := &states[i]
		s.Unfinished += running
		s.Threads = append(s.Threads, ThreadState{e.tid.Load(), running, stacks[e]})
	}
	return states
}

// state returns the state without threads.
func (x *target) state() State {
	s := State{ID: x.first().id, Pool: x.pool != nil}
	if x.pool != nil {
		s.Queued = x.pool.Queued()
	} else {
		s.Queued = x.on.Queued()
	}
	if name := x.name.Load(); name != nil {
		s.Name = *name
	}
	if x.first().permanent {
		s.Name = "main"
	}
	if o := x.owner.Value(); o != nil { // else the handle is gone, and the thread is about to end
		s.Stats = o.Stats()
	}
	return s
}

// ofThread returns how long the outermost function on e has run.
func (o *observer) ofThread(e *Engine) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	for n := o.running.First; n != nil; n = n.After {
		if v := n.Value; v.on == e {
			return max(1, o.elapsed(clock.Now(), v))
		}
	}
	return 0
}

// allStacks returns the stacks of the serving goroutines. One whose number is not known, because
// none of its functions was observed, is found by the address of its engine in the trace.
func allStacks(of []*Engine) map[*Engine][]byte {
	known, stacks := map[string]*Engine{}, map[*Engine][]byte{}
	for _, e := range of {
		known[strconv.FormatUint(e.goid.Load(), 10)] = e
		known[fmt.Sprintf("%p", e)] = e
	}
	delete(known, "0")
	for number, one := range stack.Goroutines() {
		_, loop, _ := bytes.Cut(one, []byte("engine.(*Engine).loop("))
		address, _, _ := bytes.Cut(loop, []byte(")"))
		e := cmp.Or(known[number], known[string(bytes.TrimRight(address, "?"))])
		if e != nil {
			stacks[e] = one
		}
	}
	return stacks
}
