package engine

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/testutil"
)

// What looks at a thread has nothing observed, and what has been observed is not any more when
// nothing asks for it.
func TestStates_observeNothing(t *testing.T) {
	e, o := New(Config{Name: "seen", Own: true})
	e.Start()
	defer ends(t, e)
	observed := func() bool { e.Call(func() {}); return e.observes.Load() != 0 }
	e.Stats()
	States()
	if observed() {
		t.Error("a look has functions observed")
	}
	for name, observe := range map[string]func(on bool){
		"Measure": e.observer.Measure,
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
		e, _ := New(Config{Name: fmt.Sprint("connection ", i), Own: true})
		e.Start()
		e.Call(func() {})
		e.Terminate()
		<-e.Done()
		e.Go(func() {})
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	var sum Stats
	for _, l := range all.names {
		sum.Refused += l.Refused.Load()
		sum.add(l.ended)
	}
	if len(all.names) != maxNames+1 || sum.Returned != n || sum.Refused != n {
		t.Errorf("%d names, %d functions, %d refused", len(all.names), sum.Returned, sum.Refused)
	}
}

// A thread without a name is called by its number, once it has one.
func TestString_namesAThreadByItsNumber(t *testing.T) {
	e, _ := New(Config{Own: true})
	if got := e.String(); got != "a thread without a name" {
		t.Errorf("before it begins it is %q", got)
	}
	e.Start()
	defer ends(t, e)
	if e.Call(nothing); e.tid.Load() != 0 && e.String() !=
		fmt.Sprintf("a thread without a name (%d in the operating system)", e.tid.Load()) {
		t.Errorf("then it is %q", e)
	}
}

// A page shows the name that a thread was given; without one, "main" for the main thread.
func TestStates_haveNames(t *testing.T) {
	for _, c := range []struct {
		name, label, want string
		main              bool
	}{
		{"mine", "mine", "mine", false}, {"", "", "", false}, {"", "main", "main", true},
	} {
		e, _ := New(Config{Name: c.name, Main: c.main})
		s := State{Label: e.named.name}
		if s.fill(&e.target); s.Name != c.want || s.Label != c.label {
			t.Errorf("%q: the name is %q, the label %q", c.name, s.Name, s.Label)
		}
		all.mu.Lock()
		e.node.Remove()
		all.mu.Unlock()
	}
	x, name := newEngine(Config{}), "one of many"
	x.target.init(Config{}, new(Owner))
	x.Name = name
	s := State{Label: OtherNames}
	if s.fill(&x.target); s.Name != name {
		t.Errorf("one of many names is shown as %q", s.Name)
	}
}

// A page says that nothing serves a host's thread that neither serves nor can be notified.
func TestStates_sayWhetherAThreadServes(t *testing.T) {
	check := func(what string, e *Engine, serves, begun bool) {
		t.Helper()
		var s State
		s.fill(&e.target)
		if got := s.Threads[0]; got.Serves != serves || got.Begun != begun {
			t.Errorf("%s: it serves: %v, a host's function has begun: %v", what, got.Serves, got.Begun)
		}
	}
	own := start(t)
	own.Call(func() { check("the engine's own, with a function", own, true, false) })
	check("the engine's own", own, true, false)
	testutil.Ends(t, func() {
		e, _ := New(Config{})
		check("a host's that is not adopted", e, false, false)
		e.Adopt()
		defer e.Terminate()
		check("adopted", e, false, false)
		e.Go(func() { check("adopted, and serves", e, true, true) })
		e.Serve(0, nil)
		check("adopted, and has served", e, false, false)
		e.OnWake(nothing)
		check("in a native loop", e, true, false)
		e.OnWake(nil)
		check("after a native loop", e, false, false)
	})
}

// A thread that has ended has nothing to do, and a post that is skipped while the counts are read
// is none that has begun.
func TestStats_ofTheLastMoment(t *testing.T) {
	e := start(t)
	e.Call(func() {})
	e.Terminate()
	<-e.Done()
	if e.Counts.Works() {
		t.Error("the thread has ended, and has something to do")
	}
	e.Counts.Skipped++
	if n := e.Stats().Posts; n != 0 {
		t.Errorf("%d posts have begun, want none", n)
	}
}

// A host's thread has something to do until its last function has returned: until its last look at
// the clock, if nothing has run since, and otherwise until its loop ends.
func TestEndLoop_isTheEndOfWork(t *testing.T) {
	const second = time.Second
	for name, c := range map[string]struct {
		ticked, at time.Duration // after it began to work, an hour ago
		taken      int
		outer      bool // the loop is in a function
		want       time.Duration
	}{
		"a look after the last function":      {ticked: second, at: second, want: second},
		"functions since the last look":       {ticked: second, at: second, taken: 1, want: time.Hour},
		"another look at the clock":           {ticked: second, at: 2 * second, want: time.Hour},
		"the function around it runs further": {ticked: second, at: second, outer: true, want: time.Hour},
	} {
		e, _ := New(Config{})
		if c.outer {
			e.Counts.Calls++
		}
		outer := e.beginLoop(0)
		begun := clock.Now() - time.Hour
		e.Counts.Work(begun)
		e.idleState.ticked, e.idleState.taken = begun+c.ticked, c.taken
		e.Counts.At.Store(int64(begun + c.at))
		e.endLoop(outer)
		busy := e.Counts.Busy(begun + 2*time.Hour)
		if c.outer {
			busy -= time.Hour // as it goes on
		}
		if e.Counts.Works() != c.outer || busy < c.want || busy > c.want+testutil.TimeLimit() {
			t.Errorf("%s: busy for %v, want %v; works: %v", name, busy, c.want, e.Counts.Works())
		}
	}
}

// Threads may begin, and end, while another goroutine looks. One that has not begun is what it will
// be.
func TestStates_whileThreadsBegin(t *testing.T) {
	var over atomic.Bool
	var looks testutil.Group
	looks.Go(func() {
		for !over.Load() {
			States()
		}
	})
	var done []<-chan struct{}
	for i := range 2000 {
		e, _ := New(Config{Main: i%2 == 0, Own: i%2 > 0})
		if e.own {
			if s := new(State); i == 1 {
				if s.fill(&e.target); !s.Threads[0].Serves || s.Threads[0].StackID != s.Threads[0].At {
					t.Errorf("before it begins it is %+v", s.Threads[0])
				}
			}
			e.Start()
		}
		e.Terminate()
		done = append(done, e.Done())
	}
	for _, c := range done {
		testutil.Arrives(t, c)
	}
	over.Store(true)
	looks.Wait()
}
