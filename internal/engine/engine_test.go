package engine

import (
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
)

var eventually = testutil.Eventually

func nothing() {}

func init() { go testutil.Collect() }

func start(t *testing.T) *Engine {
	e, o := New(Config{Own: true})
	e.Start()
	t.Cleanup(func() { ends(t, e); runtime.KeepAlive(o) })
	return e
}

// ends terminates a thread or pool and waits for its end. What threads do until then, as to count
// the cores, could be in the way of the next test.
func ends(t *testing.T, x interface {
	Terminate()
	Done() <-chan struct{}
}) {
	t.Helper()
	x.Terminate()
	testutil.Arrives(t, x.Done())
}

func TestEngine_Terminate_forgotten(t *testing.T) {
	e, _ := New(Config{Own: true})
	p, _ := NewPool(3, Config{})
	p.Start()
	e.Start()
	adopted, _ := New(Config{})
	look, looked := make(chan bool), make(chan bool)
	go func() {
		adopted.Adopt()
		<-look
		<-looked
		adopted.Terminate()
	}()
	look <- true
	all := append([]*Engine{e, adopted}, p.workers...)
	ms := map[*Engine]uintptr{}
	for _, x := range all {
		known := func() bool { ms[x] = x.m.Load(); return threads.Find(ms[x]) == x }
		eventually(t, known, "it is known")
	}
	looked <- true
	e.Terminate()
	p.Terminate()
	for _, ended := range all {
		eventually(t, func() bool {
			return ended.Terminated() && threads.Find(ms[ended]) != ended && ended.m.Load() == 0 &&
				ended.tid.Load() == 0
		}, "it is forgotten and has no identity any more")
	}
}

func TestEngine_On(t *testing.T) {
	e, other := start(t), start(t)
	other.Call(func() {})
	if Self() != nil {
		t.Error("a test is on an engine's thread")
	}
	e.Call(func() {
		if Self() == nil || !e.On() {
			t.Error("the serving goroutine is not known")
		}
		if ident.Thread() == 0 {
			return // this system does not distinguish threads
		}
		known := func() bool { return Self() != nil && e.On() && !other.On() }
		next, stop := iter.Pull(func(yield func(bool) bool) { yield(known()) })
		defer stop()
		if found, _ := next(); !found {
			t.Error("a coroutine on the thread is not known")
		}
	})
}

func TestLimit(t *testing.T) {
	e, _ := New(Config{Limit: 2})
	for i, want := range []callq.Kind{callq.Placed, callq.Placed, callq.Posted} {
		if got, ok := e.acquire(waits, e, true, nil); got != want || !ok {
			t.Errorf("call %d is of kind %d, want %d, or refused: %v", i, got, want, !ok)
		}
	}
	if e.rounds.Load() > 0 {
		t.Error("the thread has waited for itself")
	}
	for room, queued := range map[room]bool{waits: true, gives: false, unlimited: true} {
		if kind, ok := e.acquire(room, e, true, nil); kind != callq.Posted || ok != queued {
			t.Errorf("room %d: the queue is full, a call is of kind %d, queued: %v", room, kind, ok)
		}
	}
	kinds := make(chan callq.Kind)
	wait := func() {
		kind, _ := e.acquire(waits, nil, false, nil)
		kinds <- kind
	}
	go wait()
	select {
	case <-kinds:
		t.Error("no place was free")
	case <-time.After(5 * time.Millisecond):
	}
	<-e.limit.places
	if k := <-kinds; k != callq.Placed {
		t.Errorf("the one that waited is of kind %d", k)
	}
	go wait()
	close(e.limit.closed)
	if k := <-kinds; k != callq.Posted {
		t.Errorf("after close, one is of kind %d", k)
	}
}

// The end of ServeContext may call the callback of OnWake.
func TestServeAll_panic(t *testing.T) {
	ended := 0
	defer func() {
		if v := recover(); v != "boom" || ended != 1 {
			t.Errorf("it has ended %d times and panicked with %v", ended, v)
		}
	}()
	serveAll(func() {}, func() { t.Error("nothing has called Goexit") }, func() {
		if ended++; ended == 1 {
			panic("boom")
		}
	})
}

// Else another thread runs what this one has queued, and is not waited for.
func TestEngine_wait_published(t *testing.T) {
	a := start(t)
	b, o := New(Config{Limit: 1, Own: true})
	b.Start()
	t.Cleanup(func() { ends(t, b); runtime.KeepAlive(o) })
	waits := func() bool { return a.wait.Load() != nil }
	hold := func() { eventually(t, waits, "the thread says that it waits") }
	for name, wait := range map[string]func(){
		"a call":  func() { b.Call(hold) },
		"a place": func() { b.Go(hold); b.Go(func() {}); b.Go(func() {}) },
	} {
		a.Call(func() {
			if wait(); waits() || a.serving.Load() != 0 {
				t.Errorf("it has waited for %s, and still says so, or that it serves", name)
			}
		})
	}
}

// The User of a thread is let go of when the thread has ended.
func TestUser_isForgottenAtTheEnd(t *testing.T) {
	ended := make(chan bool)
	e, p := func() (*Engine, weak.Pointer[[64]int]) {
		user := new([64]int)
		e, _ := New(Config{User: user, OnEnd: func() { close(ended) }, Own: true})
		return e, weak.Make(user)
	}()
	e.Start()
	e.Terminate()
	testutil.Arrives(t, ended)
	eventually(t, func() bool { runtime.GC(); return p.Value() == nil }, "it is collected")
	runtime.KeepAlive(e)
}

// What runs last has been queued by nothing, so no report says where.
func TestRunLast_isFromNowhere(t *testing.T) {
	e, o := New(Config{Own: true})
	defer runtime.KeepAlive(o)
	e.Start()
	defer ends(t, e)
	o.Watch(time.Hour, func(Slow) {})
	e.Call(func() {
		if len(e.observer.From(&e.Thread)) == 0 {
			t.Error("a function has no callers")
		}
		if e.runLast(func() {
			if from := e.observer.From(&e.Thread); len(from) != 0 {
				t.Errorf("it has %d callers, want none", len(from))
			}
		}); e.Withdrawn {
			t.Error("it has not run")
		}
	})
}

// A call that waits for one thread of a pool counts as refused by the pool.
func TestPool_countsWhatItsThreadsRefuse(t *testing.T) {
	p, o := NewPool(1, Config{})
	defer runtime.KeepAlive(o)
	ran := make(chan bool)
	go func() { ran <- p.Workers()[0].Call(nothing) }()
	eventually(t, func() bool { return p.Workers()[0].q.Len() == 1 }, "the call is queued")
	if p.Terminate(); testutil.Arrives(t, ran) || p.Tally.Refused.Load() != 1 {
		t.Errorf("%d functions are refused, want 1", p.Tally.Refused.Load())
	}
}

func TestPool_leftCall(t *testing.T) {
	p, o := NewPool(1, Config{})
	p.Start()
	defer runtime.KeepAlive(o)
	defer ends(t, p)
	begun, release := make(chan bool), make(chan bool)
	p.Go(func() { close(begun); <-release })
	<-begun
	// the first record, which does not show how often it is given back
	p.records.Get(callq.Awaited, nil, 0)
	x := newEngine(Config{})
	c := p.records.Get(callq.Awaited, func() { t.Error("it ran") }, x.id)
	if e, _, _, ok := p.add(c, false); e != nil || !ok {
		t.Fatal("the call is not in the backlog")
	}
	w := &wait{call: c, of: &p.target}
	x.link(c)
	if p.workers[0].runFor(x, w, nil) {
		t.Error("a call was taken for a thread that does not wait for it")
	}
	for range 2 { // as a caller that is unwound after its context ended
		if w.abandon() {
			t.Error("the call is gone, although a thread may have begun it")
		}
	}
	close(release)
	eventually(t, func() bool { return c.Outcome() == callq.Refused }, "the thread refuses it")
	c.Drop()
	n := 0
	for range 100 {
		if p.records.Get(callq.Awaited, func() {}, 1) == c {
			n++
		}
	}
	if n != 1 {
		t.Errorf("its record is used again %d times, want once", n)
	}
	if !p.Call(func() {}) {
		t.Error("the pool does not go on")
	}
}

// What the engine queues for itself is not counted.
func TestEngine_Queued_counts(t *testing.T) {
	e, _ := New(Config{Own: true})
	e.Start()
	g := testutil.Occupy(t, e.Go)
	for range 5 {
		e.Go(func() {})
	}
	n := e.Queued()
	e.Retire()
	e.Control(nil)
	closed := make(chan bool)
	go func() { _ = e.Shutdown(never); close(closed) }()
	closes := func() bool { return e.phase.Load() == closing }
	eventually(t, closes, "it closes")
	if after := e.Queued(); n != 5 || after != 5 {
		t.Errorf("%d functions are queued, and %d when the thread is to end, want 5", n, after)
	}
	g.Open()
	<-closed
}

// A post that is refused gives its record back.
func TestGo_refusedKeepsNoRecord(t *testing.T) {
	e, _ := New(Config{})
	e.enter(closing)
	allocatesNothing(t, func() {
		if e.Go(func() {}) {
			t.Fatal("a post to a thread that closes is queued")
		}
	})
}

// allocatesNothing fails the test if f always allocates when it is called 1,000 times. Others in
// the process may allocate meanwhile.
func allocatesNothing(t *testing.T, f func()) {
	t.Helper()
	eventually(t, func() bool {
		return testing.AllocsPerRun(5, func() {
			for range 1000 {
				f()
			}
		}) == 0
	}, "1,000 calls allocate nothing")
}

// A goroutine may have read that the thread is open before Shutdown began, and post afterwards. The
// function runs, also if the one before it calls Goexit, which counts once, and with it the calls
// that it needs; Terminate still refuses it.
func TestShutdown_postsBehindIt(t *testing.T) {
	for _, terminate := range []bool{false, true} {
		e, _ := New(Config{Own: true})
		e.Start()
		g := testutil.Occupy(t, e.Go)
		ended := make(chan error)
		go func() { ended <- e.Shutdown(never) }()
		eventually(t, e.q.Pending, "Shutdown has queued the end")
		var ran atomic.Int32
		inPlace, inCycle := false, false
		other, _ := New(Config{Own: true})
		other.Start()
		defer ends(t, other)
		post := func(f func()) {
			if _, ok := e.q.Post(f); !ok {
				t.Error("a post is refused before the end")
			}
		}
		post(func() { ran.Add(1); runtime.Goexit() })
		post(func() {
			ran.Add(1)
			inPlace = e.Call(func() {})
			other.Call(func() { inCycle = e.Call(func() {}) })
			if e.Go(func() {}) {
				t.Error("a post is queued behind the end")
			}
			runtime.Goexit()
		})
		late := make(chan bool)
		go func() { late <- e.Call(func() {}) }()
		eventually(t, func() bool { return e.q.Len() == 3 }, "a call is queued as well")
		want := int32(2)
		if terminate {
			want = 0
			e.Terminate()
		}
		g.Open()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if <-late {
			t.Error("a call ran that was queued behind the end")
		}
		if n := ran.Load(); n != want || inPlace == terminate || inCycle == terminate {
			t.Errorf("%d posts ran, want %d; a call in place %v, in a cycle %v", n, want, inPlace, inCycle)
		}
		if n := e.Stats().Goexits; n != uint64(want) {
			t.Errorf("%d functions have called Goexit, want %d", n, want)
		}
	}
}

// What calls and posts read first is in three cache lines. The allocator puts a header of eight
// bytes before an object of this size.
func TestEngine_lines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("there is more room with pointers of four bytes")
	}
	e, _ := New(Config{})
	begin := uintptr(unsafe.Pointer(e)) - 8
	for i, ends := range [][2]uintptr{
		{begin, uintptr(unsafe.Pointer(&e.mode))},
		{uintptr(unsafe.Pointer(&e.observes)), uintptr(unsafe.Pointer(&e.records))},
		{uintptr(unsafe.Pointer(&e.waits)), uintptr(unsafe.Pointer(&e.waits.Parks))},
	} {
		if i < 2 && ends[0] != begin+uintptr(i)*64 || ends[0]/64 != ends[1]/64 {
			t.Errorf("part %d begins at %d and ends at %d of an object at %#x",
				i, ends[0]-begin, ends[1]-begin, begin)
		}
	}
}
