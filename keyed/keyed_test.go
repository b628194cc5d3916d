package keyed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/thread"
)

func TestMain(m *testing.M) {
	go testutil.Collect()
	os.Exit(m.Run())
}

var (
	ends       = testutil.Ends
	eventually = testutil.Eventually
	occupy     = testutil.Occupy
	recovered  = testutil.Recovered
	mustPanic  = testutil.MustPanic
	here       = ident.Thread
)

func nop() {}

// scaled is how often to do something that takes far longer under the race detector.
func scaled(n int) int {
	if testutil.Race || testutil.Collecting || testing.Short() {
		n /= 10
	}
	return max(n, 1)
}

var errStart = errors.New("no such device")

// events are what has happened, in this order.
type events []string

func (r *events) add(event string) { *r = append(*r, event) }

func (r *events) is(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(*r, want) {
		t.Errorf("%q happened, want %q", *r, want)
	}
}

func (r *events) started(name string) thread.Option {
	return thread.WithStart(func() error { r.add(name); return nil })
}

// A keyTest is Threads and what has happened to its threads. It fails the test if a key has more
// threads at a time than it may, from before their start until after their stop, or functions on
// more of them.
type keyTest struct {
	*keyed.Threads[int]
	each          int           // threads that a key may have
	start, stop   func(key int) // run on the threads
	mu            sync.Mutex
	starts, stops map[int]int            // by key
	running       map[int]map[uint64]int // functions, by key and thread
	live, most    int
}

func newThreads(t *testing.T, opts ...keyed.Option) *keyTest {
	k := &keyTest{each: 1, starts: map[int]int{}, stops: map[int]int{}}
	k.running = map[int]map[uint64]int{}
	k.Threads = keyed.New(func(key int) error {
		k.mu.Lock()
		k.starts[key]++
		if n := k.starts[key] - k.stops[key]; n > k.each {
			t.Errorf("key %d has %d threads at once", key, n)
		}
		k.live++
		k.most = max(k.most, k.live)
		k.mu.Unlock()
		if k.start != nil {
			k.start(key)
		}
		return nil
	}, func(key int) {
		if k.stop != nil {
			k.stop(key)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.stops[key]++
		k.live--
	}, opts...)
	t.Cleanup(func() {
		ends(t, k.Close)
		if k.live != 0 {
			t.Errorf("%d threads have not been stopped", k.live)
		}
	})
	return k
}

func (k *keyTest) counts(key int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return fmt.Sprint(k.starts[key], " ", k.stops[key])
}

// call calls f for key.
func (k *keyTest) call(t *testing.T, ctx context.Context, key int, f func()) error {
	return k.Call(ctx, key, func() error {
		tid := here()
		count := func(n int) {
			k.mu.Lock()
			defer k.mu.Unlock()
			on := k.running[key]
			if on == nil {
				on = map[uint64]int{}
				k.running[key] = on
			}
			if on[tid] += n; on[tid] == 0 {
				delete(on, tid)
			}
			if len(on) > k.each {
				t.Errorf("key %d has functions on %d threads at once", key, len(on))
			}
		}
		count(1)
		defer count(-1)
		f()
		return nil
	})
}

// do calls f for key, which must run.
func (k *keyTest) do(t *testing.T, key int, f func()) {
	t.Helper()
	if err := k.call(t, context.Background(), key, f); err != nil {
		t.Errorf("key %d: %v", key, err)
	}
}

// later calls f for key in a goroutine, and returns when that waits, or has ended.
func (k *keyTest) later(t *testing.T, key int, f func()) (ended chan struct{}) {
	t.Helper()
	return blocks(t, func() { k.do(t, key, f) })
}

// blocks runs f in a goroutine, and returns when that waits for a call or for a thread, or has
// ended.
func blocks(t *testing.T, f func()) (ended chan struct{}) {
	t.Helper()
	ended = make(chan struct{})
	id := make(chan uint64)
	go func() {
		defer close(ended)
		id <- ident.Goroutine()
		f()
	}()
	header := fmt.Appendf(nil, "goroutine %d [", <-id)
	eventually(t, func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		stacks := make([]byte, 1<<20)
		_, stack, _ := bytes.Cut(stacks[:runtime.Stack(stacks, true)], header)
		stack, _, _ = bytes.Cut(stack, []byte("\n\n"))
		return bytes.Contains(stack, []byte("(*Set).Wait(")) ||
			bytes.Contains(stack, []byte("(*Engine).CallContext("))
	}, "a call waits")
	return ended
}

// occupy has a function run for key that waits at a gate, and returns when it has begun.
func (k *keyTest) occupy(t *testing.T, key int) *testutil.Gate {
	t.Helper()
	return occupy(t, func(f func()) bool { go k.do(t, key, f); return true })
}

// busy keeps key in use, so that its thread always has a call, until stop is called.
func (k *keyTest) busy(t *testing.T, key int) (stop func()) {
	var over atomic.Bool
	var all group.Group
	for range 3 {
		all.Go(func() {
			for !over.Load() {
				k.do(t, key, runtime.Gosched)
			}
		})
	}
	return func() { over.Store(true); ends(t, all.Wait) }
}

// over is a context of another package that is done, although the one that it is made of is not.
type over struct{ context.Context }

func (over) Err() error { return context.Canceled }

func TestThreads_Call(t *testing.T) {
	k := newThreads(t)
	tids := map[int]uint64{}
	for round := range 3 {
		for key := range 4 {
			k.do(t, key, func() {
				if round == 0 {
					tids[key] = here()
				} else if tids[key] != here() {
					t.Errorf("key %d: the thread is another one", key)
				}
				k.do(t, key, func() {
					if tids[key] != here() {
						t.Errorf("key %d: a nested call does not run in place", key)
					}
				})
			})
		}
	}
	if n := k.Len(); n != 4 || k.counts(2) != "1 0" {
		t.Errorf("%d threads, key 2: %s; want 4, 1 0", n, k.counts(2))
	}
	if err := k.Call(context.Background(), 1, func() error { return errStart }); err != errStart {
		t.Errorf("Call returns %v, not what its function does", err)
	}
	panics := func() { k.Call(context.Background(), 1, func() error { panic(errStart) }) }
	if v := recovered(panics); v != errStart {
		t.Errorf("Call panics with %v", v)
	}
	ends(t, func() {
		k.Call(context.Background(), 1, func() error { runtime.Goexit(); return nil })
		t.Error("Call returns after a Goexit")
	})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errStart)
	if err := k.Call(ctx, 1, func() error { return nil }); err != errStart {
		t.Errorf("with a context that is done, Call returns %v", err)
	}
	if err := k.Call(over{context.Background()}, 1,
		func() error { t.Error("it runs"); return nil }); err != context.Canceled {
		t.Errorf("with a context of another package that is done, Call returns %v", err)
	}
	if err := k.Call(context.Background(), 1, nil); err != thread.ErrNil {
		t.Errorf("for nil, Call returns %v", err)
	}
	k.do(t, 1, nop)
	if k.counts(1) != "1 0" {
		t.Errorf("starts and stops of key 1: %s, want 1 0", k.counts(1))
	}
	k.Close()
	if err := k.Call(context.Background(), 1,
		func() error { return nil }); err != thread.ErrTerminated {
		t.Errorf("after Close, Call returns %v", err)
	}
	if k.counts(1) != "1 1" || k.Len() != 0 {
		t.Errorf("after Close, key 1: %s; %d threads", k.counts(1), k.Len())
	}
}

func TestNew_startFails(t *testing.T) {
	fail := true
	var kind string
	var started, stopped int
	k := keyed.New(func(key string) error {
		switch {
		case !fail:
		case kind == "error":
			return errStart
		case kind == "panic":
			panic(errStart)
		default:
			runtime.Goexit()
		}
		started++
		return nil
	}, func(string) { stopped++ }, keyed.WithMaxThreads(1))
	for _, kind = range []string{"error", "panic", "Goexit"} {
		fail = true
		for range 3 {
			err := k.Call(context.Background(), "a",
				func() error { t.Error("the function runs"); return nil })
			var p *thread.PanicError
			if err == nil || err == thread.ErrTerminated || kind != "Goexit" && !errors.Is(err, errStart) ||
				kind == "panic" != errors.As(err, &p) {
				t.Errorf("%s: Call returns %v", kind, err)
			}
		}
		fail = false
		if err := k.Call(context.Background(), "a", func() error { return nil }); err != nil {
			t.Errorf("the next start has not failed, and Call returns %v", err)
		}
		ends(t, func() { k.Call(context.Background(), "b", func() error { return nil }) })
	}
	ends(t, k.Close)
	if started != 6 || stopped != 6 {
		t.Errorf("%d starts have succeeded and %d stop functions have run, want 6", started, stopped)
	}
}

// At most n threads exist at any time, the one that was unused for longest goes first, and calls
// that wait get a place in their order.
func TestWithMaxThreads(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(3))
	for _, key := range []int{1, 2, 3, 1, 4} {
		k.do(t, key, nop)
	}
	if got := k.counts(1) + ", " + k.counts(2) + ", " + k.counts(3); got != "1 0, 1 1, 1 0" {
		t.Errorf("starts and stops of 1, 2, 3: %s; want the second stopped", got)
	}
	if k.most > 3 {
		t.Errorf("there were %d threads at once, and the limit is 3", k.most)
	}
}

// A call that waits for a slot gets the first that can be free: of a key that is always in use, and
// although a function of another key hangs: at its start, in a call or at its stop.
func TestWithMaxThreads_inUse(t *testing.T) {
	for _, hangs := range []string{"", "start", "call", "stop"} {
		t.Run(hangs, func(t *testing.T) {
			n := 2
			if hangs == "" {
				n = 1
			}
			k := newThreads(t, keyed.WithMaxThreads(n))
			var at *testutil.Gate
			hang := func(f func(func()) bool) { at = occupy(t, f) }
			switch hangs {
			case "start":
				hang(func(f func()) bool {
					k.start = func(key int) {
						if key == 1 {
							f()
						}
					}
					ctx, cancel := context.WithCancel(context.Background())
					time.AfterFunc(time.Millisecond, cancel)
					if err := k.call(t, ctx, 1, nop); err != context.Canceled {
						t.Errorf("a call whose context ends during the start: %v", err)
					}
					return true
				})
			case "call":
				at = k.occupy(t, 1)
			case "stop":
				hang(func(f func()) bool {
					k.stop = func(key int) {
						if key == 1 {
							f()
						}
					}
					k.do(t, 1, nop)
					k.Forget(1)
					return true
				})
			}
			stop := k.busy(t, 2)
			for range 20 {
				ends(t, func() { k.do(t, 3, nop) })
			}
			stop()
			if at != nil {
				at.Open()
			}
		})
	}
}

// Calls that wait for slots get them in their order, those of one key at once.
func TestWithMaxThreads_order(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1))
	g := k.occupy(t, 0)
	ran := make(chan int, 4)
	for _, key := range []int{2, 1, 3, 2} {
		k.later(t, key, func() { ran <- key })
	}
	g.Open()
	for _, key := range []int{2, 2, 1, 3} {
		if got := testutil.Arrives(t, ran); got != key {
			t.Errorf("a call for key %d runs, want one for key %d", got, key)
		}
	}
}

// While the thread of a key must yield, calls for the key wait.
func TestWithMaxThreads_yields(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(2))
	k.do(t, 0, nop)
	g := k.occupy(t, 1)
	other := k.occupy(t, 2)
	third := k.later(t, 3, nop)
	first := k.later(t, 1, nop)
	other.Open()
	testutil.Arrives(t, third)
	g.Open()
	testutil.Arrives(t, first)
	if k.counts(1) != "1 0" || k.most > 2 {
		t.Errorf("starts and stops of key 1: %s, and %d threads; want 1 0 and 2: key 2 has yielded",
			k.counts(1), k.most)
	}
}

// Random calls, of all kinds, and Forget: no key has more threads than it may, nor starts before
// the last stop has ended, which newThreads and do look at, and a nested call runs on the same
// thread.
func TestThreads_random(t *testing.T) {
	r := testutil.Seeded(t)
	for range scaled(60) {
		limit, each := r.IntN(4), 1+r.IntN(2)
		idle := []time.Duration{0, time.Millisecond, -1}[r.IntN(3)]
		t.Logf("%d threads, %d a key, unused for %v", limit, each, idle)
		k := newThreads(t, keyed.WithMaxThreads(limit), keyed.WithKeyThreads(each),
			keyed.WithIdleTimeout(idle))
		k.each = each
		other := thread.New()
		var all group.Group
		for range 1 + r.IntN(8) {
			r := testutil.Fork(r)
			all.Go(func() {
				for range 60 {
					key, second := r.IntN(4), r.IntN(4)
					kind := r.IntN(10)
					ctx, cancel := context.WithCancel(context.Background())
					if kind == 0 {
						ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(200))*time.Microsecond)
					}
					f := nop
					switch kind {
					case 1:
						f = func() {
							tid := here()
							k.do(t, key, func() {
								if here() != tid {
									t.Error("a nested call runs on another thread")
								}
							})
						}
					case 2:
						f = func() { k.do(t, second, func() { k.do(t, key, nop) }) }
					case 3:
						f = func() { other.Call(func() { k.do(t, second, nop) }) }
					case 4:
						f = func() { k.Forget(key); k.do(t, key, nop) }
					case 5:
						f = runtime.Gosched
						k.Forget(second)
					case 6:
						f = func() { panic(errStart) }
					}
					if v := recovered(func() {
						if err := k.call(t, ctx, key, f); err != nil && ctx.Err() == nil {
							t.Errorf("key %d: %v", key, err)
						}
					}); v != nil && v != errStart {
						t.Errorf("Call panics with %v", v)
					}
					cancel()
				}
			})
		}
		ends(t, all.Wait)
		ends(t, k.Close)
		other.Terminate()
		if t.Failed() {
			return
		}
	}
}

func TestThreads_Forget(t *testing.T) {
	k := newThreads(t)
	k.Forget(1) // has no thread
	k.do(t, 1, nop)
	k.Forget(1)
	eventually(t, func() bool { return k.counts(1) == "1 1" }, "an unused thread ends")
	k.Forget(1)
	t.Run("call", func(t *testing.T) {
		g := k.occupy(t, 1)
		queued := make(chan error, 1)
		blocks(t, func() { queued <- k.Call(t.Context(), 1, func() error { return nil }) })
		k.Forget(1)
		second := k.later(t, 1, func() {
			if k.counts(1) != "3 2" {
				t.Errorf("starts and stops, in a call behind Forget: %s", k.counts(1))
			}
		})
		k.do(t, 2, nop)
		if k.counts(1) != "2 1" || k.Len() != 1 {
			t.Errorf("during the call: %s; %d threads take calls, want 2 1; 1", k.counts(1), k.Len())
		}
		g.Open()
		testutil.Arrives(t, second)
		if err := testutil.Arrives(t, queued); err != nil {
			t.Errorf("a call at the time of Forget: %v", err)
		}
	})
	t.Run("start", func(t *testing.T) {
		var at *testutil.Gate
		at = occupy(t, func(f func()) bool {
			k.start = func(key int) {
				if key == 3 && at == nil {
					f()
				}
			}
			go k.do(t, 3, nop)
			return true
		})
		k.Forget(3)
		second := k.later(t, 3, nop)
		at.Open()
		testutil.Arrives(t, second)
		if k.counts(3) != "2 1" {
			t.Errorf("starts and stops: %s, want 2 1", k.counts(3))
		}
	})
	t.Run("itself", func(t *testing.T) {
		k.do(t, 4, func() {
			tid, ran := here(), 0
			k.Forget(4)
			k.do(t, 4, func() { ran++ })
			other := thread.New()
			other.Call(func() { // the thread waits for it, so it must not wait for the thread
				k.do(t, 4, func() {
					if ran++; here() != tid {
						t.Error("round a cycle of threads, a call runs on another thread")
					}
				})
			})
			if ran != 2 || k.counts(4) != "1 0" {
				t.Errorf("%d functions ran; %s", ran, k.counts(4))
			}
		})
		ends(t, func() { k.do(t, 4, nop) })
		if k.counts(4) != "2 1" {
			t.Errorf("starts and stops: %s, want 2 1", k.counts(4))
		}
	})
	t.Run("stop", func(t *testing.T) { // calls run in place, and others cannot wait for the end
		other := thread.New()
		errs := make(chan error, 2)
		k.stop = func(key int) {
			if key == 5 {
				k.Forget(5)
				errs <- k.Call(context.Background(), 5, func() error { return nil })
				other.Call(func() { errs <- k.Call(context.Background(), 5, func() error { return nil }) })
			}
		}
		k.do(t, 5, nop)
		k.Forget(5)
		if err := testutil.Arrives(t, errs); err != nil {
			t.Errorf("a call in place: %v", err)
		}
		if err := testutil.Arrives(t, errs); err != thread.ErrTerminated {
			t.Errorf("a call that the stop function waits for: %v", err)
		}
	})
	t.Run("closed", func(t *testing.T) {
		g := k.occupy(t, 6)
		k.Forget(6)
		ctx, cancel := context.WithCancelCause(context.Background())
		errs := make(chan error)
		for _, ctx := range []context.Context{ctx, context.Background()} {
			blocks(t, func() { errs <- k.call(t, ctx, 6, nop) })
		}
		cancel(errStart)
		if err := testutil.Arrives(t, errs); err != errStart {
			t.Errorf("a call whose context ends: %v", err)
		}
		k.do(t, 7, k.Close) // does not wait
		if err := testutil.Arrives(t, errs); err != thread.ErrTerminated {
			t.Errorf("after Close, a call that waits for the end of its key's thread: %v", err)
		}
		k.Forget(6)
		select {
		case <-k.Done():
			t.Error("done, and a function runs")
		default:
		}
		g.Open()
		testutil.Arrives(t, k.Done())
	})
}

// Functions of one key that wait for each other need several threads.
func TestWithKeyThreads(t *testing.T) {
	for _, each := range []int{2, 0} {
		k := newThreads(t, keyed.WithKeyThreads(each), keyed.WithMaxThreads(4))
		k.each = each
		if each == 0 {
			k.each = 4
		}
		listener := make(chan uint64)
		ends(t, func() {
			var all group.Group
			all.Go(func() { k.do(t, 1, func() { listener <- here() }) }) // accept
			k.do(t, 1, func() {                                          // dial
				tid := here()
				if <-listener == tid && tid != 0 {
					t.Error("both run on one thread")
				}
				k.do(t, 1, func() {
					if here() != tid {
						t.Error("a nested call runs on another thread")
					}
				})
			})
			all.Wait()
		})
		k.do(t, 1, nop)
		if k.counts(1) != "2 0" {
			t.Errorf("starts and stops: %s, want 2 0", k.counts(1))
		}
		// With a function that hangs, the other thread serves all calls; and it yields.
		hangs := k.occupy(t, 1)
		for range 3 {
			stop := k.busy(t, 1)
			ends(t, func() { k.do(t, 1, nop); k.do(t, 2, nop) })
			stop()
		}
		// Forget ends all of them, and the next is made after the last stop.
		k.each = 1
		k.Forget(1)
		next := k.later(t, 1, nop)
		k.each = 2
		if k.counts(1)[0] == k.counts(1)[2] {
			t.Errorf("starts and stops: %s, although a function runs", k.counts(1))
		}
		hangs.Open()
		testutil.Arrives(t, next)
	}
}

// A caller's own start function runs on a thread that its call makes, behind the others, and no
// call returns the error of another call's.
func TestThreads_CallWith(t *testing.T) {
	var r events
	k := keyed.New(func(key string) error { r.add("start " + key); return nil }, nil,
		keyed.WithThreadOptions(r.started("first")))
	enter := func(s string, err error) func() error {
		return func() error { r.add(s); return err }
	}
	f := func() error { r.add("f"); return nil }
	ctx := context.Background()
	for _, s := range []string{"a", "b", ""} {
		start := enter(s, nil)
		if s == "" {
			start = nil
		}
		if err := k.CallWith(ctx, "x", start, f); err != nil {
			t.Error(err)
		}
	}
	r.is(t, "first", "start x", "a", "f", "f", "f")
	ends(t, func() {
		if err := k.CallWith(ctx, "y", enter("c", errStart), f); err != errStart {
			t.Errorf("a start that fails: %v", err)
		}
	})
	var p *thread.PanicError
	if err := k.CallWith(ctx, "y", func() error { panic(errStart) }, f); !errors.As(err, &p) {
		t.Errorf("a start that panics: %v", err)
	}
	// Three calls wait for a thread that does not start: the error is that of two.
	errs := make(chan error, 2)
	g := occupy(t, func(wait func()) bool {
		go func() { errs <- k.CallWith(ctx, "z", func() error { wait(); return errStart }, f) }()
		return true
	})
	ran := make(chan error, 2)
	blocks(t, func() { errs <- k.Call(ctx, "z", f) })
	blocks(t, func() { ran <- k.CallWith(ctx, "z", enter("own", nil), f) })
	g.Open()
	for range 2 {
		if err := testutil.Arrives(t, errs); err != errStart {
			t.Errorf("a call that waits for a start that fails: %v", err)
		}
	}
	if err := testutil.Arrives(t, ran); err != nil {
		t.Errorf("a call whose own start succeeds: %v", err)
	}
	ends(t, k.Close)
}

func TestThreads_Call_givesUp(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1))
	k.do(t, 1, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		ends(t, func() {
			if err := k.Call(ctx, 2, func() error { return nil }); err != context.DeadlineExceeded {
				t.Errorf("Call returns %v", err)
			}
		})
		closed := make(chan error)
		go func() { closed <- k.Call(context.Background(), 3, func() error { return nil }) }()
		time.Sleep(time.Millisecond)
		k.Close() // which does not wait here
		if err := <-closed; err != thread.ErrTerminated {
			t.Errorf("after Close, Call returns %v", err)
		}
	})
}

// Where waiting for a place would be a deadlock, the limit is exceeded.
func TestThreads_Call_cycle(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1))
	other := thread.New()
	ran := 0
	ends(t, func() {
		k.do(t, 1, func() {
			k.do(t, 2, func() {
				k.do(t, 1, func() { ran++ }) // takes no new calls any more, but is waited for
				other.Call(func() {
					k.do(t, 3, func() { ran++ })
					k.do(t, 1, func() { ran++ })
				})
			})
			k.do(t, 1, func() { ran++ })
		})
	})
	if ran != 4 {
		t.Errorf("%d functions ran, want 4", ran)
	}
}

// A thread that waits for a place is found by a cycle that closes afterwards.
func TestThreads_Call_cycleLater(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1))
	other := thread.New()
	waiting := make(chan bool)
	ran := false
	ends(t, func() {
		k.do(t, 1, func() {
			go func() {
				other.Call(func() {
					close(waiting)
					k.do(t, 2, func() { ran = true })
				})
			}()
			<-waiting
			time.Sleep(2 * time.Millisecond)
			other.Call(nop)
		})
	})
	if !ran {
		t.Error("the call for key 2 did not run")
	}
}

func TestWithIdleTimeout(t *testing.T) {
	at := newThreads(t, keyed.WithIdleTimeout(0))
	at.do(t, 1, func() { at.do(t, 1, nop) })
	eventually(t, func() bool { return at.counts(1) == "1 1" }, "a thread is stopped at once")
	soon := newThreads(t, keyed.WithIdleTimeout(time.Millisecond))
	for range 3 { // the last time is not the only one
		for key := range 5 {
			soon.do(t, key, nop)
		}
		eventually(t, func() bool { return soon.Len() == 0 }, "unused threads are stopped")
	}
	never := newThreads(t, keyed.WithIdleTimeout(-1))
	never.do(t, 1, nop)
	time.Sleep(3 * time.Millisecond)
	if never.counts(1) != "1 0" {
		t.Error("stopped, although the time is negative")
	}
}

func TestWithThreadOptions(t *testing.T) {
	var r events
	k := keyed.New(func(key string) error { r.add("start " + key); return nil },
		func(key string) { r.add("stop " + key); panic(errStart) },
		keyed.WithThreadOptions(r.started("first"), thread.WithStop(func() { r.add("last") })), nil)
	k.Call(context.Background(), "a", func() error { return nil })
	k.Close()
	r.is(t, "first", "start a", "stop a", "last")
	if p := k.TakePanic(); !errors.Is(p, errStart) || k.TakePanic() != nil {
		t.Errorf("TakePanic returns %v", p)
	}
}

func TestThreads_Call_NaN(t *testing.T) {
	k := keyed.New[float64](nil, nil, keyed.WithMaxThreads(2))
	for range 5 {
		ends(t, func() { k.Call(context.Background(), math.NaN(), func() error { return nil }) })
	}
	ends(t, k.Close)
}

func TestThreads_dropped(t *testing.T) {
	stopped := make(chan struct{})
	func() {
		k := keyed.New(nil, func(int) { close(stopped) })
		k.Call(context.Background(), 1, func() error { return nil })
	}()
	eventually(t, func() bool { return testutil.CollectedAndEnded(stopped) }, "its thread is stopped")
}

// A thread that was made beyond the limit ends when it is unused, and calls that wait meanwhile
// come to their turn.
func TestWithMaxThreads_exceeded(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1), keyed.WithIdleTimeout(-1))
	k.do(t, 0, func() { k.do(t, 1, nop) })
	if n := k.Len(); n > 1 {
		t.Errorf("%d threads take calls, and the limit is 1", n)
	}
	for key := range 5 {
		ends(t, func() { k.do(t, key, func() { k.do(t, key+1, nop) }) })
	}
}

func TestThreads_Call_unhashable(t *testing.T) {
	k := keyed.New[any](nil, nil)
	f := func() error { return nil }
	mustPanic(t, func() { k.Call(context.Background(), []int{1}, f) }, "hash")
	ends(t, func() {
		if err := k.Call(context.Background(), 1, f); err != nil {
			t.Error(err)
		}
		k.Close()
	})
}

// calls returns two calls that allocate nothing in the steady state.
func calls(t testing.TB) func() {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	k := keyed.New[int](nil, nil)
	t.Cleanup(k.Close)
	f := func() error { return nil }
	return func() { _ = k.Call(ctx, 1, f); _ = k.Call(ctx, 2, f) }
}

func TestAllocations(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector allocates")
	}
	if n := testing.AllocsPerRun(1000, calls(t)); n != 0 {
		t.Errorf("%v allocations in two calls", n)
	}
}

// BenchmarkThread is for threadcall allocs.
func BenchmarkThread(b *testing.B) {
	f := calls(b)
	f() // makes the threads
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
}
