package thread_test

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// events are what has happened, and on which threads.
type events struct {
	mu   sync.Mutex
	all  []string
	tids map[uint64]bool
}

func (r *events) add(event string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, event)
	if r.tids == nil {
		r.tids = map[uint64]bool{}
	}
	r.tids[here()] = true
}

func (r *events) is(t *testing.T, want ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.all, want) || here() != 0 && len(r.tids) != 1 {
		t.Errorf("%v happened on %d threads, want %v on one", r.all, len(r.tids), want)
	}
}

func (r *events) started(name string) thread.Option {
	return thread.WithStart(func() error { r.add(name); return nil })
}

func (r *events) stopped(name string) thread.Option {
	return thread.WithStop(func() { r.add(name) })
}

func TestStart_runsStartFunctionsFirstAndStopFunctionsLast(t *testing.T) {
	for name, end := range map[string]func(*thread.Thread){
		"Close": (*thread.Thread).Close, "Terminate": (*thread.Thread).Terminate,
		"Goexit":   func(th *thread.Thread) { th.Go(runtime.Goexit); th.Close() },
		"WithKeep": (*thread.Thread).Close,
	} {
		t.Run(name, func(t *testing.T) {
			var r events
			var keep thread.Option
			if name == "WithKeep" {
				keep = thread.WithKeep()
			}
			th, err := thread.Start(keep, r.started("start 1"), r.stopped("stop 1"),
				thread.WithStart(nil), thread.WithStop(nil), r.started("start 2"), r.stopped("stop 2"))
			if err != nil {
				t.Fatal(err)
			}
			th.Go(func() { r.add("posted") })
			th.Call(func() { r.add("called") })
			end(th)
			testutil.Arrives(t, th.Done())
			r.is(t, "start 1", "start 2", "posted", "called", "stop 2", "stop 1")
		})
	}
}

var errStart = errors.New("no such device")

// failures are start functions that fail.
var failures = map[string]func() error{
	"error":  func() error { return errStart },
	"panic":  func() error { panic(errStart) },
	"Goexit": func() error { runtime.Goexit(); return nil },
}

// A start that fails ends the thread, does not run its stop function, and is reported.
func TestStart_returnsTheErrorAndNewReportsIt(t *testing.T) {
	never := thread.WithStop(func() { t.Error("the stop function runs") })
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // or threads that have not ended were reclaimed
	before := runtime.NumGoroutine()
	for name, f := range failures {
		fail := thread.WithStart(f)
		for range 10 {
			var th *thread.Thread
			var err error
			var v any
			_, returned := exits(t, func() { v = recovered(func() { th, err = thread.Start(fail, never) }) })
			if th != nil || returned == (name == "Goexit") || (v == errStart) != (name == "panic") ||
				(err == errStart) != (name == "error") {
				t.Errorf("%s: Start returns %v, %v, or panics with %v", name, th, err, v)
			}
		}
		ofThread, keepThread := keepPanics()
		ofPool, keepPool := keepPanics()
		th, p := thread.New(fail, never, keepThread), thread.NewPool(2, fail, never, keepPool)
		testutil.Arrives(t, th.Done())
		testutil.Arrives(t, p.Done())
		if th.Call(nop) || p.Call(nop) {
			t.Errorf("%s: a function runs", name)
		}
		for _, p := range []*thread.PanicError{ofThread.take(), ofPool.take()} {
			if (p != nil && errors.Is(p, errStart)) != (name != "Goexit") {
				t.Errorf("%s: the handler has %v", name, p)
			}
		}
	}
	eventually(t, func() bool { return runtime.NumGoroutine() < before+10 }, "the threads end")
}

// Of a thread that is terminated before it has begun, nothing runs, or the start and then the stop.
func TestWithStop_runsIfAndOnlyIfTheStartHas(t *testing.T) {
	for range scaled(300) {
		var starts, stops atomic.Int32
		th := thread.New(thread.WithStart(func() error { starts.Add(1); return nil }),
			thread.WithStop(func() { stops.Add(1) }))
		th.Terminate()
		testutil.Arrives(t, th.Done())
		if starts.Load() != stops.Load() {
			t.Fatalf("%d starts and %d stops", starts.Load(), stops.Load())
		}
	}
}

func TestWithStop_callsItsOwnThreadInPlace(t *testing.T) {
	other := start(t)
	ran := 0
	var th *thread.Thread
	add := func() { ran++ }
	th, _ = thread.Start(thread.WithStop(func() {
		if !th.On() || !th.Call(add) || th.CallContext(context.Background(), add) != nil ||
			thread.MustEval(th, func() int { return 1 }) != 1 {
			t.Error("not in place")
		}
		if th.Go(add) {
			t.Error("a function is queued on a thread that ends")
		}
		if !other.Call(func() {
			if th.Call(add) {
				t.Error("another thread calls one that ends")
			}
			th.Close() // which waits for the stop function, which waits for it
		}) {
			t.Error("another thread cannot be called")
		}
		th.Close()
	}))
	ends(t, th.Close)
	if ran != 2 {
		t.Errorf("%d functions ran, want 2", ran)
	}
}

// Starts and stops are pairs, undone in reverse: when a start fails, those before it have their
// stops, and no other runs. Stops before the first start belong to all.
func TestWithStart_thatFailsEndsWhatEarlierOnesBegan(t *testing.T) {
	for name, fail := range failures {
		for how, begin := range map[string]func(...thread.Option) <-chan struct{}{
			"New": func(opts ...thread.Option) <-chan struct{} { return thread.New(opts...).Done() },
			"Start": func(opts ...thread.Option) <-chan struct{} {
				exits(t, func() { recovered(func() { _, _ = thread.Start(opts...) }) })
				return nil // what has returned has waited
			},
			"NewPool": func(opts ...thread.Option) <-chan struct{} {
				return thread.NewPool(1, opts...).Done()
			},
			"StartPool": func(opts ...thread.Option) <-chan struct{} {
				exits(t, func() { recovered(func() { _, _ = thread.StartPool(1, opts...) }) })
				return nil
			},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				var r events
				ended := begin(quiet, r.stopped("stop of all"), r.started("start 1"), r.stopped("stop 1"),
					r.started("start 2"), r.stopped("stop 2"), r.stopped("stop 2 first"),
					thread.WithStart(func() error { r.add("fails"); return fail() }),
					r.stopped("stop 3"), r.started("start 4"), r.stopped("stop 4"))
				if ended != nil {
					testutil.Arrives(t, ended)
				}
				r.is(t, "start 1", "start 2", "fails", "stop 2 first", "stop 2", "stop 1")
			})
		}
	}
}

// What a stop function does is no worse than what a posted one does.
func TestWithStop_runsAllAlthoughSomePanic(t *testing.T) {
	for name, f := range map[string]func(){"panic": func() { panic(errStart) },
		"Goexit": runtime.Goexit} {
		var r events
		stop := thread.WithStop(f)
		panics, keep := keepPanics()
		th, _ := thread.Start(r.stopped("first"), stop, stop, r.stopped("last"), keep)
		th.Call(nop)
		ends(t, th.Close)
		r.is(t, "last", "first")
		for range 2 {
			if p := panics.take(); name == "panic" && !errors.Is(p, errStart) || name == "Goexit" &&
				p != nil {
				t.Errorf("%s: the handler has %v", name, p)
			}
		}
	}
}

// numbered is WithStart with the number of starts before.
func numbered(f func(i int) error) thread.Option {
	var starts atomic.Int32
	return thread.WithStart(func() error { return f(int(starts.Add(1)) - 1) })
}

func TestStartPool_runsStartFunctionsOnEachThread(t *testing.T) {
	const n = 4
	var stops atomic.Int32
	stop := thread.WithStop(func() { stops.Add(1) })
	var all sync.WaitGroup
	all.Add(n)
	p, err := thread.StartPool(n, thread.WithStart(func() error {
		all.Done()
		all.Wait() // they run at the same time
		return nil
	}), stop)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Call(nop) || !p.Go(nop) {
		t.Error("the pool has ended")
	}
	if ends(t, p.Close); stops.Load() != n {
		t.Errorf("%d stops of %d workers", stops.Load(), n)
	}
	text := regexp.MustCompile(`^thread: the start of thread [0-3]: no such device$`)
	for name, fail := range failures {
		stops.Store(0)
		exits(t, func() {
			v := recovered(func() {
				p, err := thread.StartPool(n, numbered(func(i int) error {
					if i == 2 {
						return fail()
					}
					return nil
				}), stop)
				if p != nil || name != "error" || !errors.Is(err, errStart) || !text.MatchString(err.Error()) {
					t.Errorf("%s: StartPool returns %v, %v", name, p, err)
				}
			})
			if (v == errStart) != (name == "panic") {
				t.Errorf("%s: it panics with %v", name, v)
			}
		})
		eventually(t, func() bool { return stops.Load() == n-1 }, "the stop functions of the others run")
	}
}

// No other Thread gets the thread of a start that has failed, however it failed.
func TestWithKeep_lendsNoThreadWhoseStartHasFailed(t *testing.T) {
	if here() == 0 {
		t.Skip("the system does not distinguish threads")
	}
	keep := thread.WithKeep()
	for name, fail := range failures {
		tids := make(chan uint64, 1)
		failing := thread.WithStart(func() error { tids <- here(); return fail() })
		for by, begin := range map[string]func(){
			"New":       func() { thread.New(keep, failing, quiet) },
			"Start":     func() { thread.Start(keep, failing) },
			"NewPool":   func() { thread.NewPool(1, keep, failing, quiet) },
			"StartPool": func() { thread.StartPool(1, keep, failing) },
		} {
			go recovered(begin)
			tid := testutil.Arrives(t, tids)
			for range 10 {
				time.Sleep(100 * time.Microsecond) // for threads to wait for the next that is made
				th := thread.New(keep)
				if thread.MustEval(th, here) == tid {
					t.Errorf("%s, %s: the thread is lent", by, name)
				}
				th.Close()
			}
		}
	}
}

func TestWithKeep_lendsTheThreadToTheNext(t *testing.T) {
	seen, again, made := map[uint64]bool{}, 0, 0
	var collected atomic.Int64
	eventually(t, func() bool { // the next may come too early for the thread of the one before
		th, other := thread.New(thread.WithKeep()), thread.New()
		defer other.Terminate()
		made++
		runtime.AddCleanup(th, func(*int) { collected.Add(1) }, nil)
		tid := thread.MustEval(th, here)
		if seen[tid] {
			again++
		}
		seen[tid] = true
		exits(t, func() { th.Call(runtime.Goexit) })
		for range 1000 {
			th.Call(runtime.UnlockOSThread) //threadcall:ignore the thread must survive it
		}
		if thread.MustEval(th, here) != tid || !thread.MustEval(th, th.On) ||
			thread.MustEval(th, other.On) || thread.MustEval(other, th.On) {
			t.Fatal("not on a thread of its own")
		}
		th.Terminate()
		return again == 10
	}, "threads are lent")
	eventually(t, func() bool { runtime.GC(); return int(collected.Load()) >= made-1 },
		"the handles are collected")
}
