package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/list"
	"github.com/threadcall/threadcall/internal/observe"
)

// all has the threads and pools that have not ended, and what is counted under each name, also of
// those that have ended. The counts of a thread move from it to its name while mu is held, so that
// no sum goes back.
var all struct {
	mu       sync.Mutex
	targets  list.List[*target]
	names    map[string]*named
	measures bool // MeasureTimes
}

// A named is what threads and pools of one name have in common.
type named struct {
	name string
	observe.Tally
	ended Stats // the sums of those that have ended; guarded by all.mu
}

// maxNames is for how many names there are counts; further threads are counted under OtherNames. A
// program may make a name for each connection.
const (
	maxNames   = 200
	OtherNames = "other names"
)

// listing is what all knows of a target.
type listing struct {
	named *named
	node  list.Node[*target] // guarded by all.mu
}

// list lists x among those that States returns. From then on, other goroutines may look at it.
func (x *target) list() {
	name := strings.ToValidUTF8(x.Name, "\uFFFD")
	if x.Main {
		name = "main"
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.names == nil {
		all.names = map[string]*named{}
	}
	if all.names[name] == nil && len(all.names) >= maxNames {
		name = OtherNames
	}
	if all.names[name] == nil {
		all.names[name] = &named{name: name}
	}
	x.named = all.names[name]
	x.observer.Tallies[1] = &x.named.Tally
	x.node.Value = x
	all.targets.Append(&x.node)
	if x.Timed || all.measures {
		x.observer.Measure(true)
	}
}

// unlist is called when x has ended.
func (x *target) unlist() {
	all.mu.Lock()
	defer all.mu.Unlock()
	if x.node.Remove() {
		x.named.ended.add(x.Stats())
	}
}

// MeasureTimes has the times of all threads and pools measured, of the present and future ones, or
// not any more.
func MeasureTimes(on bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.measures = on
	for n := all.targets.First; n != nil; n = n.After {
		n.Value.observer.Measure(on || n.Value.Timed)
	}
}

// add adds t to the counts of a name.
func (s *Stats) add(t Stats) {
	s.Queued += t.Queued
	s.Running = max(s.Running, t.Running)
	s.Returned += t.Returned
	s.Panicked += t.Panicked
	s.Busy += t.Busy
	s.Waits.AddAll(&t.Waits)
	s.Runs.AddAll(&t.Runs)
}

// A State is what a thread or a pool does, and has done.
type State struct {
	ID      uint64 // unique in the process
	Name    string // may be empty
	Label   string // for metrics: Name, "main", or OtherNames
	Pool    bool
	Dropped bool // nothing refers to its handle
	User    any  // of its Config
	Limit   int  // of the queue, or zero
	Blocked int  // posters that wait for the queue to become shorter
	Stats   Stats
	Timed   bool   // times are measured
	Panic   *Panic // the last that was written to standard error, or nil
	At      string // its address in stacks
	Threads []ThreadState
}

// A ThreadState is what one thread does.
type ThreadState struct {
	TID      uint64
	Running  time.Duration // how long its function has run; 0 if none runs
	Begun    bool          // one has begun on an adopted thread; if Running is 0, maybe a native loop
	Serves   bool          // or its own thread
	At       string        // the address of its engine in stacks
	StackID  string        // of its goroutine, see package stack
	Stack    []byte        // of its goroutine; set by what looks for it
	From     []uintptr     // of the goroutine that queued the function, if that is known
	WaitsFor []uint64      // the threads and pools, by ID, of which it waits for one
	Waits    string        // what for
}

// States returns the states of all threads and pools that have not ended, in the order in which
// they were made, and the counts of each name, also of those that have ended: without Goexits,
// Left, Calls, Posts and the wake-ups. It neither stops the program nor makes a call slower.
func States() (states []State, names map[string]*Stats) {
	var targets []*target
	all.mu.Lock()
	names = map[string]*Stats{}
	for _, l := range all.names {
		s := l.ended
		s.Refused, s.Withdrawn, s.Slow = l.Refused.Load(), l.Withdrawn.Load(), l.Slow.Load()
		names[l.name] = &s
	}
	for n := all.targets.First; n != nil; n = n.After {
		x := n.Value
		targets = append(targets, x)
		states = append(states, State{User: x.on.User, Label: x.named.name})
	}
	all.mu.Unlock()
	for i, x := range targets {
		s := &states[i]
		s.fill(x)
		n := names[s.Label]
		n.Threads += len(s.Threads)
		n.add(s.Stats)
	}
	return states, names
}

func (s *State) fill(x *target) {
	s.ID, s.Name, s.At = x.ID(), cmp.Or(x.Name, s.Label), fmt.Sprintf("%p", x)
	s.Pool = x.pool != nil
	s.Dropped = x.owner.Value() == nil
	s.Stats, s.Panic = x.Stats(), x.lastPanic.Load()
	if l := x.limit; l != nil {
		s.Limit, s.Blocked = cap(l.places), int(l.waiting.Load())
	}
	s.Timed = x.observes.Load()&observe.Measures != 0
	now, same := x.now()
	for _, e := range x.Workers() {
		t := ThreadState{TID: e.tid.Load(), Begun: !e.own && e.begun(),
			At: fmt.Sprintf("%p", e), StackID: e.stackID(), From: x.observer.From(&e.Thread)}
		if same {
			t.Running = e.running(now)
		}
		t.Serves = e.own || e.serving.Load() > 0 || e.onWake.Load() != nil
		t.Waits, t.WaitsFor = e.waitsFor()
		s.Threads = append(s.Threads, t)
	}
}

// waitsFor returns what the thread waits for, and of which threads and pools one must go on.
func (e *Engine) waitsFor() (what string, ids []uint64) {
	w, _ := e.waiting()
	switch {
	case w == nil:
		return "", nil
	case w.call != nil:
		what = "a call"
	case w.end:
		what = "the end"
	default:
		what = "a place in the queue"
	}
	if w.of != nil {
		return what, []uint64{w.of.ID()}
	}
	for _, x := range w.group.Workers() {
		ids = append(ids, x.of.ID())
	}
	return what, slices.Compact(ids) // those of a pool have one
}
