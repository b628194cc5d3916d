package thread_test

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"

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
	if !reflect.DeepEqual(r.all, want) {
		t.Errorf("what happened: %v, want %v", r.all, want)
	}
}

func (r *events) started(name string) thread.Option {
	return thread.WithStart(func() error { r.add(name); return nil })
}

func (r *events) stopped(name string) thread.Option {
	return thread.WithStop(func() { r.add(name) })
}

func TestStart(t *testing.T) {
	for name, end := range map[string]func(*thread.Thread){"Close": (*thread.Thread).Close, "Terminate": (*thread.Thread).Terminate} {
		t.Run(name, func(t *testing.T) {
			var r events
			th, err := thread.Start(r.started("start 1"), r.stopped("stop 1"), thread.WithStart(nil), thread.WithStop(nil),
				r.started("start 2"), r.stopped("stop 2"))
			if err != nil {
				t.Fatal(err)
			}
			th.Go(func() { r.add("posted") })
			th.Call(func() { r.add("called") })
			end(th)
			testutil.Arrives(t, th.Done())
			r.is(t, "start 1", "start 2", "posted", "called", "stop 2", "stop 1")
			if here() != 0 && len(r.tids) != 1 {
				t.Errorf("they ran on %d threads", len(r.tids))
			}
		})
	}
}

var errStart = errors.New("no such device")

// What fails ends the thread and runs no function of WithStop, and its error is reported.
func TestAStartThatFails(t *testing.T) {
	fail := thread.WithStart(func() error { return errStart })
	never := thread.WithStop(func() { t.Error("the stop function runs") })
	if th, err := thread.Start(fail, never); th != nil || err != errStart {
		t.Errorf("Start returns %v, %v", th, err)
	}
	panics := thread.WithStart(func() error { panic(errStart) })
	exit := thread.WithStart(func() error { runtime.Goexit(); return nil })
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // or threads that have not ended were reclaimed
	before := runtime.NumGoroutine()
	for range 10 {
		if v := recovered(func() { thread.Start(panics, never) }); v != errStart {
			t.Errorf("Start panics with %v", v)
		}
		if _, returned := exits(t, func() { thread.Start(exit, never) }); returned {
			t.Error("Start returns, although the start function has called Goexit")
		}
	}
	eventually(t, func() bool { return runtime.NumGoroutine() < before+10 }, "the threads end")

	for name, opt := range map[string]thread.Option{"error": fail, "panic": panics} {
		th, p := thread.New(opt, never), thread.NewPool(2, opt, never)
		testutil.Arrives(t, th.Done())
		testutil.Arrives(t, p.Done())
		if th.Call(nop) || p.Call(nop) {
			t.Errorf("%s: a function runs", name)
		}
		if !errors.Is(th.TakePanic(), errStart) || !errors.Is(p.TakePanic(), errStart) {
			t.Errorf("%s: not kept for TakePanic", name)
		}
	}
}

// Of a thread that is terminated before it has begun, nothing runs, or the start and then the stop.
func TestStopsRunIfAndOnlyIfStartsHave(t *testing.T) {
	for range scaled(300) {
		var starts, stops atomic.Int32
		th := thread.New(thread.WithStart(func() error { starts.Add(1); return nil }), thread.WithStop(func() { stops.Add(1) }))
		th.Terminate()
		testutil.Arrives(t, th.Done())
		if starts.Load() != stops.Load() {
			t.Fatalf("%d starts and %d stops", starts.Load(), stops.Load())
		}
	}
}

func TestStopFunctionsMayCallTheirThread(t *testing.T) {
	other := start(t)
	ran := 0
	var th *thread.Thread
	add := func() { ran++ }
	th, _ = thread.Start(thread.WithStop(func() {
		if !th.On() || !th.Call(add) || th.CallContext(context.Background(), add) != nil || thread.Eval(th, func() int { return 1 }) != 1 {
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

// What a stop function does is no worse than what a posted one does.
func TestStopFunctionsMayPanicOrExit(t *testing.T) {
	for name, f := range map[string]func(){"panic": func() { panic(errStart) }, "Goexit": runtime.Goexit} {
		var r events
		th, _ := thread.Start(r.stopped("first"), thread.WithStop(f), r.stopped("last"))
		th.Call(nop)
		ends(t, th.Close)
		r.is(t, "last", "first")
		if p := th.TakePanic(); name == "panic" && !errors.Is(p, errStart) || name == "Goexit" && p != nil {
			t.Errorf("%s: TakePanic returns %v", name, p)
		}
	}
}

func TestStopRunsWhenAThreadIsReclaimed(t *testing.T) {
	stopped := make(chan struct{})
	func() {
		th, err := thread.Start(thread.WithStart(func() error { return nil }), thread.WithStop(func() { close(stopped) }))
		if err != nil {
			t.Fatal(err)
		}
		th.Call(nop)
	}()
	eventually(t, func() bool { return collectedAndEnded(stopped) }, "the stop function runs")
}

// A start function that calls the thread that waits for it is a cycle of waiting threads.
func TestStartFunctionsMayCallTheThreadThatStartsThem(t *testing.T) {
	a := start(t)
	ran := 0
	back := thread.WithStart(func() error { a.Call(func() { ran++ }); return nil })
	ends(t, func() {
		a.Call(func() {
			th, err := thread.Start(back)
			if err != nil {
				t.Error(err)
			}
			th.Close()
			p, err := thread.StartPool(3, back)
			if err != nil {
				t.Error(err)
			}
			p.Close()
		})
	})
	if ran != 4 {
		t.Errorf("%d calls ran, want 4", ran)
	}
}

// The start of one worker needs that of another, which needs the thread that waits for both: all
// workers are in one cycle with it, in whatever order they are waited for.
func TestStartFunctionsOfAPoolMayNeedEachOther(t *testing.T) {
	other, full := start(t), thread.WithQueueLimit(1)
	for starter, begin := range map[string]func(t *testing.T) way{
		"thread": func(t *testing.T) way { return wayOf(start(t, full)) },
		"pool":   func(t *testing.T) way { return wayOf(startPool(t, 1, full)) },
	} {
		for name, need := range map[string]func(w way){
			"Call":         func(w way) { w.call(nop) },
			"by a thread":  func(w way) { other.Call(func() { w.call(nop) }) },
			"a full queue": func(w way) { w.post(nop); w.post(nop); w.post(nop) },
			"Close":        func(w way) { w.Close() },
			"StartPool": func(w way) {
				back := thread.WithStart(func() error { w.call(nop); return nil })
				p, _ := thread.StartPool(2, back)
				p.Close()
			},
			"a panic": func(w way) { recovered(func() { w.call(func() { panic(errStart) }) }) },
		} {
			t.Run(starter+"/"+name, func(t *testing.T) {
				for last := range 3 {
					w, done := begin(t), make(chan bool)
					ends(t, func() {
						w.call(func() {
							p, err := thread.StartPool(3, numbered(func(i int) error {
								if i == last {
									need(w)
									close(done)
								}
								<-done
								return nil
							}))
							if err != nil {
								t.Error(err)
							}
							p.Close()
						})
					})
				}
			})
		}
	}
}

// A Goexit that unwinds StartPool ends the pool; it goes on when the starts have ended that had
// begun.
func TestStartPoolUnwound(t *testing.T) {
	for last := range 3 {
		a := start(t)
		var starts, ended, stops atomic.Int32
		done := make(chan bool)
		deferred, returned := exits(t, func() {
			a.Call(func() {
				defer func() {
					if starts.Load() != ended.Load() {
						t.Error("a start function runs")
					}
				}()
				thread.StartPool(3, numbered(func(i int) error {
					starts.Add(1)
					defer ended.Add(1)
					if i == last {
						defer close(done)
						a.Call(runtime.Goexit)
					}
					<-done
					return nil
				}), thread.WithStop(func() { stops.Add(1) }))
			})
		})
		if !deferred || returned {
			t.Errorf("the deferred calls ran: %v, the goroutine went on: %v", deferred, returned)
		}
		eventually(t, func() bool { return stops.Load() == starts.Load()-1 }, "the pool ends")
		ends(t, func() { a.Call(nop) })
	}
}

// numbered is WithStart with the number of starts before.
func numbered(f func(i int) error) thread.Option {
	var starts atomic.Int32
	return thread.WithStart(func() error { return f(int(starts.Add(1)) - 1) })
}

var workerError = regexp.MustCompile(`^thread: the start of worker [0-3]: no such device$`)

func TestStartPool(t *testing.T) {
	const n = 4
	var starts [n]atomic.Int32
	var stops atomic.Int32
	var all sync.WaitGroup
	all.Add(n)
	p, err := thread.StartPool(n, numbered(func(i int) error {
		starts[i].Add(1)
		all.Done()
		all.Wait() // they run at the same time
		return nil
	}), thread.WithStop(func() { stops.Add(1) }))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if !p.Call(nop) || !p.Go(nop) {
			t.Fatal("the pool has ended")
		}
	}
	ends(t, p.Close)
	for i := range n {
		if starts[i].Load() != 1 {
			t.Errorf("%d starts of worker %d", starts[i].Load(), i)
		}
	}
	if stops.Load() != n {
		t.Errorf("%d stops of %d workers", stops.Load(), n)
	}
	for name, fail := range map[string]func() error{
		"error":  func() error { return errStart },
		"panic":  func() error { panic(errStart) },
		"Goexit": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			var stops atomic.Int32
			ended := make(chan bool)
			go func() {
				defer close(ended)
				var p *thread.Pool
				var err error
				v := recovered(func() {
					p, err = thread.StartPool(n, numbered(func(i int) error {
						if i == 2 {
							return fail()
						}
						return nil
					}), thread.WithStop(func() { stops.Add(1) }))
				})
				switch {
				case p != nil:
					t.Error("there is a pool")
				case name == "error" && (!errors.Is(err, errStart) || !workerError.MatchString(err.Error())):
					t.Errorf("the error is %v", err)
				case name == "panic" && v != errStart:
					t.Errorf("it panics with %v", v)
				}
			}()
			testutil.Arrives(t, ended)
			eventually(t, func() bool { return stops.Load() == n-1 }, "the stop functions of those that have started run")
		})
	}
}

func TestAdoptRefusesStartAndStop(t *testing.T) {
	mustPanic(t, func() { thread.Adopt(thread.WithStart(func() error { return nil })) }, "Adopt")
	mustPanic(t, func() { thread.Adopt(thread.WithStop(nop)) }, "Adopt")
}
