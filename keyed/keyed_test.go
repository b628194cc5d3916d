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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/access"
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
	mustPanic  = testutil.MustPanic
	here       = ident.Thread
)

func nop() {}

func ok() error { return nil }

var ctx = context.Background()

// quiet is for panics that are not to be reported.
var quiet = thread.WithPanicHandler(func(*thread.PanicError) {})

var errStart = errors.New("no such device")

// A keyTest is Threads and what has happened to its threads. It fails the test if a key has more
// threads at a time than it may, from before their start until after their stop.
type keyTest struct {
	*keyed.Threads[int]
	each          int           // threads that a key may have
	start, stop   func(key int) // run on the threads
	mu            sync.Mutex
	starts, stops map[int]int // by key
	live, most    int
}

func newThreads(t *testing.T, opts ...keyed.Option) *keyTest {
	k := &keyTest{each: 1, starts: map[int]int{}, stops: map[int]int{}}
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
	}, append(opts, keyed.WithStop(func(key int) {
		if k.stop != nil {
			k.stop(key)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.stops[key]++
		k.live--
	}))...)
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

// do calls f for key, which must run.
func (k *keyTest) do(t *testing.T, key int, f func()) {
	t.Helper()
	if err := k.Call(ctx, key, func() error { f(); return nil }); err != nil {
		t.Errorf("key %d: %v", key, err)
	}
}

// alive returns how many threads have started and not been stopped.
func (k *keyTest) alive() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.live
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
		return bytes.Contains(stack, []byte("engine.Wait(")) ||
			bytes.Contains(stack, []byte("(*target).submit("))
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
	var all testutil.Group
	for range 3 {
		all.Go(func() {
			for !over.Load() {
				k.do(t, key, runtime.Gosched)
			}
		})
	}
	return func() { over.Store(true); ends(t, all.Wait) }
}

func TestCall_runsOnTheThreadOfTheKey(t *testing.T) {
	k := newThreads(t)
	done, cancel := context.WithCancelCause(ctx)
	cancel(errStart)
	unwanted := func() error { t.Error("it runs"); return nil }
	check := func(what string, ctx context.Context, f func() error, want error) {
		t.Helper()
		if err := k.Call(ctx, 1, f); err != want {
			t.Errorf("%s: Call returns %v, want %v", what, err, want)
		}
	}
	check("an error", ctx, func() error { return errStart }, errStart)
	check("a context that is done", done, unwanted, errStart)
	check("nil", ctx, nil, thread.ErrNil)
	check("a call", ctx, ok, nil)
	k.Close()
	check("after Close", ctx, unwanted, thread.ErrTerminated)
	if k.counts(1) != "1 1" {
		t.Errorf("after Close, key 1: %s", k.counts(1))
	}
}

// Keys that are not equal to themselves, and some that cannot be keys.
func TestCall_takesKeysThatAreNotEqualToThemselves(t *testing.T) {
	nan := keyed.New[float64](nil, keyed.WithMaxThreads(2))
	for range 5 {
		ends(t, func() { nan.Call(ctx, math.NaN(), ok) })
	}
	ends(t, nan.Close)
	k := keyed.New[any](nil)
	mustPanic(t, func() { k.Call(ctx, []int{1}, ok) }, "hash")
	ends(t, func() {
		if err := k.Call(ctx, 1, ok); err != nil {
			t.Error(err)
		}
		k.Close()
	})
}

func TestNew_returnsTheErrorOfTheStart(t *testing.T) {
	var kind string
	var started, stopped int
	k := keyed.New(func(key string) error {
		switch kind {
		case "error":
			return errStart
		case "panic":
			panic(errStart)
		case "Goexit":
			runtime.Goexit()
		}
		started++
		return nil
	}, keyed.WithStop(func(string) { stopped++ }), keyed.WithMaxThreads(1))
	for _, fails := range []string{"error", "panic", "Goexit"} {
		kind = fails
		for range 3 {
			err := k.Call(ctx, "a", func() error { t.Error("the function runs"); return nil })
			var p *thread.PanicError
			if err == nil || err == thread.ErrTerminated || kind != "Goexit" && !errors.Is(err, errStart) ||
				kind == "panic" != errors.As(err, &p) {
				t.Errorf("%s: Call returns %v", kind, err)
			}
		}
		kind = ""
		for _, key := range []string{"a", "b"} {
			ends(t, func() {
				if err := k.Call(ctx, key, ok); err != nil {
					t.Errorf("the next start has not failed, and Call returns %v", err)
				}
			})
		}
	}
	ends(t, k.Close)
	if started != 6 || stopped != 6 {
		t.Errorf("%d starts have succeeded and %d stop functions have run, want 6", started, stopped)
	}
}

// At most n threads exist at any time, and the one that was unused for longest goes first.
func TestWithMaxThreads_endsTheThreadUnusedForLongest(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(3))
	for _, key := range []int{1, 2, 3, 1, 4} {
		k.do(t, key, nop)
	}
	// next to one that takes more than 10 ms to stop, another ends
	testutil.Eventually(t, func() bool { return k.counts(2) == "1 1" }, "the second has stopped")
	if k.counts(1) != "1 0" && k.counts(3) == "1 0" {
		t.Error("the first has stopped, which was used after the third")
	}
	if k.most > 3 {
		t.Errorf("there were %d threads at once, and the limit is 3", k.most)
	}
	t.Run("order", func(t *testing.T) { // calls get slots as they came, those of one key at once
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
	})
	t.Run("yields", func(t *testing.T) { // calls for a key wait while its thread must yield
		k := newThreads(t, keyed.WithMaxThreads(2))
		k.do(t, 0, nop)
		g, other := k.occupy(t, 1), k.occupy(t, 2)
		third, first := k.later(t, 3, nop), k.later(t, 1, nop)
		other.Open()
		testutil.Arrives(t, third)
		g.Open()
		testutil.Arrives(t, first)
		if k.counts(1) != "1 0" || k.most > 2 {
			t.Errorf("starts and stops of key 1: %s, and %d threads; want 1 0 and 2: key 2 has yielded",
				k.counts(1), k.most)
		}
	})
}

// A call that waits for a slot gets the first that can be free: of a key that is always in use, and
// although a function of another key hangs: at its start, in a call or at its stop.
func TestWithMaxThreads_givesTheFirstSlotThatCanBeFree(t *testing.T) {
	for _, hangs := range []string{"", "start", "call", "stop"} {
		t.Run(hangs, func(t *testing.T) {
			n := 2
			if hangs == "" {
				n = 1
			}
			k := newThreads(t, keyed.WithMaxThreads(n))
			at := occupy(t, func(f func()) bool {
				first := func(key int) {
					if key == 1 {
						f()
					}
				}
				switch hangs {
				case "":
					go f()
				case "start":
					done, cancel := context.WithCancel(ctx)
					k.start = func(key int) {
						if key == 1 {
							cancel()
						}
						first(key)
					}
					if err := k.Call(done, 1, ok); err != context.Canceled {
						t.Errorf("a call whose context ends during the start: %v", err)
					}
				case "call":
					go k.do(t, 1, f)
				case "stop":
					k.stop = first
					k.do(t, 1, nop)
					k.Forget(1)
				}
				return true
			})
			stop := k.busy(t, 2)
			for range 20 {
				ends(t, func() { k.do(t, 3, nop) })
			}
			stop()
			at.Open()
		})
	}
}

func TestForget_endsTheThreadsOfAKey(t *testing.T) {
	k := newThreads(t)
	k.Forget(1) // has no thread
	k.do(t, 1, nop)
	k.Forget(1)
	eventually(t, func() bool { return k.counts(1) == "1 1" }, "an unused thread ends")
	k.Forget(1)
	t.Run("call", func(t *testing.T) {
		g := k.occupy(t, 1)
		queued := k.later(t, 1, nop)
		k.Forget(1)
		second := k.later(t, 1, func() {
			if k.counts(1) != "3 2" {
				t.Errorf("starts and stops, in a call behind Forget: %s", k.counts(1))
			}
		})
		if k.do(t, 2, nop); k.counts(1) != "2 1" {
			t.Errorf("during the call: %s, want 2 1", k.counts(1))
		}
		g.Open()
		testutil.Arrives(t, second)
		testutil.Arrives(t, queued)
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
		if testutil.Arrives(t, second); k.counts(3) != "2 1" {
			t.Errorf("starts and stops: %s, want 2 1", k.counts(3))
		}
	})
	t.Run("stop", func(t *testing.T) { // calls run in place, and others cannot wait for the end
		other := thread.New()
		errs := make(chan error, 2)
		k.stop = func(key int) {
			if key == 5 {
				k.Forget(5)
				errs <- k.Call(ctx, 5, ok)
				other.Call(func() { errs <- k.Call(ctx, 5, ok) })
			}
		}
		k.do(t, 5, nop)
		k.Forget(5)
		for what, want := range []error{nil, thread.ErrTerminated} {
			if err := testutil.Arrives(t, errs); err != want {
				t.Errorf("call %d: %v, want %v", what, err, want)
			}
		}
	})
	t.Run("closed", func(t *testing.T) {
		g := k.occupy(t, 6)
		k.Forget(6)
		done, cancel := context.WithCancelCause(ctx)
		errs := make(chan error)
		for _, ctx := range []context.Context{done, ctx} {
			blocks(t, func() { errs <- k.Call(ctx, 6, ok) })
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

// A call that waits for a slot is in a cycle through a thread that has taken one since, and gets a
// thread beyond the limit.
func TestWithMaxThreads_seesCyclesThroughLaterThreads(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1))
	a, b := thread.New(), thread.New()
	defer a.Terminate()
	defer b.Terminate()
	g := k.occupy(t, 1)
	ended := make(chan struct{}, 2)
	call := func(on *thread.Thread, key int, f func()) {
		n := k.Stats().WaitCount
		go func() {
			on.Call(func() { k.do(t, key, f) })
			ended <- struct{}{}
		}()
		eventually(t, func() bool { return k.Stats().WaitCount > n }, "the call waits")
	}
	call(a, 2, func() { a.Call(func() { b.Call(nop) }) })
	call(b, 3, nop)
	g.Open()
	testutil.Arrives(t, ended)
	testutil.Arrives(t, ended)
}

// A call that has waited for the end of its key's forgotten thread may have to wait for a slot
// then, because a call that came earlier has taken the one that this end has freed.
func TestForget_seesCyclesAfterTheEndOfTheThread(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(2))
	a := thread.New()
	defer a.Terminate()
	g := k.occupy(t, 4)
	k.Forget(4)
	begun, next, ended := make(chan bool), make(chan bool), make(chan bool, 2)
	go func() {
		a.Call(func() {
			k.do(t, 1, func() {
				begun <- true
				<-next
				k.do(t, 4, nop)
			})
		})
		ended <- true
	}()
	testutil.Arrives(t, begun)
	waits := func(n int64) {
		eventually(t, func() bool { return k.Stats().WaitCount == n }, "the call waits")
	}
	n := k.Stats().WaitCount
	go func() {
		k.do(t, 5, func() { a.Call(nop) })
		ended <- true
	}()
	waits(n + 1)
	close(next)
	waits(n + 2)
	g.Open()
	testutil.Arrives(t, ended)
	testutil.Arrives(t, ended)
}

// That is so, too, if the wait that completes the cycle has begun before that end.
func TestForget_seesEarlierCyclesAtTheEndOfTheThread(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(2))
	a := thread.New()
	defer a.Terminate()
	g := k.occupy(t, 4)
	k.Forget(4)
	begun, next, called := make(chan bool), make(chan bool), make(chan bool)
	var all testutil.Group
	all.Go(func() {
		k.do(t, 1, func() {
			begun <- true
			<-next
			a.Call(nop)
			close(called)
		})
	})
	testutil.Arrives(t, begun)
	waits := func(n int64) {
		eventually(t, func() bool { return k.Stats().WaitCount == n }, "the call waits")
	}
	n := k.Stats().WaitCount
	all.Go(func() { k.do(t, 5, func() { <-called }) })
	waits(n + 1)
	all.Go(func() { a.Call(func() { k.do(t, 4, nop) }) })
	waits(n + 2)
	close(next)
	eventually(t, func() bool {
		states, _ := access.States()
		return slices.ContainsFunc(states, func(s access.State) bool {
			return s.Threads[0].Waits == "a call" && slices.Contains(s.Threads[0].WaitsFor, a.ID())
		})
	}, "the thread of key 1 waits")
	g.Open()
	ends(t, all.Wait)
}

// Calls that wait get threads in their order, also if one has first waited for its key's thread.
func TestWithMaxThreads_keepsTheOrderOfCalls(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1))
	g := k.occupy(t, 1)
	k.Forget(1)
	var order []int
	first := k.later(t, 1, func() { order = append(order, 1) })
	second := k.later(t, 2, func() { order = append(order, 2) })
	g.Open()
	testutil.Arrives(t, first)
	testutil.Arrives(t, second)
	if !slices.Equal(order, []int{1, 2}) {
		t.Errorf("the order is %v", order)
	}
}

// A call for which one of several threads of its key waits runs on that one, since the others may
// hang.
func TestWithKeyThreads_runsACallOfACycleOnItsThread(t *testing.T) {
	k := newThreads(t, keyed.WithKeyThreads(2))
	k.each = 2
	a := thread.New()
	defer a.Terminate()
	hangs := k.occupy(t, 1)
	ends(t, func() {
		k.do(t, 1, func() {
			tid := here()
			a.Call(func() {
				k.do(t, 1, func() {
					if here() != tid {
						t.Error("the call runs on another thread")
					}
				})
			})
		})
	})
	hangs.Open()
}

// Functions of one key that wait for each other need several threads.
func TestWithKeyThreads_letsFunctionsOfAKeyWaitForEachOther(t *testing.T) {
	for each, most := range map[int]int{2: 2, 0: 4} {
		k := newThreads(t, keyed.WithKeyThreads(each), keyed.WithMaxThreads(4))
		k.each = most
		listener := make(chan uint64)
		ends(t, func() {
			accepted := k.later(t, 1, func() { listener <- here() })
			k.do(t, 1, func() { // dial
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
			<-accepted
		})
		if k.do(t, 1, nop); k.counts(1) != "2 0" {
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
// call returns the error of another call's. Stop functions run in reverse order.
func TestCallWith_startsWithTheCallersFunction(t *testing.T) {
	var happened []string
	var mu sync.Mutex
	add := func(event string) {
		mu.Lock()
		defer mu.Unlock()
		happened = append(happened, event)
	}
	panics := make(chan error, 10)
	handler := thread.WithPanicHandler(func(p *thread.PanicError) { panics <- p })
	k := keyed.New(func(key string) error { add("start " + key); return nil },
		keyed.WithStop(func(key string) {
			if add("stop " + key); key == "x" {
				panic(errStart)
			}
		}),
		keyed.WithThreadOptions(thread.WithStart(func() error { add("first"); return nil }),
			thread.WithStop(func() { add("last") }), handler), nil)
	enter := func(s string, err error) func() error {
		return func() error { add(s); return err }
	}
	f := func() error { add("f"); return nil }
	for _, start := range []func() error{enter("a", nil), enter("b", nil), nil} {
		if err := k.CallWith(ctx, "x", start, f); err != nil {
			t.Error(err)
		}
	}
	k.Forget("x")
	k.Call(ctx, "x", f) // a second thread, when the first has ended
	want := "first,start x,a,f,f,f,stop x,last,first,start x,f"
	if got := strings.Join(happened, ","); got != want {
		t.Errorf("%s happened, want %s", got, want)
	}
	if len(panics) != 1 || !errors.Is(<-panics, errStart) {
		t.Error("the panic of a stop function is not given to the handler, or others are")
	}
	var p *thread.PanicError
	ends(t, func() {
		if err := k.CallWith(ctx, "y", enter("c", errStart), f); err != errStart {
			t.Errorf("a start that fails: %v", err)
		}
		if err := k.CallWith(ctx, "y", func() error { panic(errStart) }, f); !errors.As(err, &p) {
			t.Errorf("a start that panics: %v", err)
		}
	})
	// Three calls wait for a thread that does not start: the error is that of two.
	errs, ran := make(chan error, 2), make(chan error, 2)
	g := occupy(t, func(wait func()) bool {
		go func() { errs <- k.CallWith(ctx, "z", func() error { wait(); return errStart }, f) }()
		return true
	})
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

func TestWithIdleTimeout_endsUnusedThreads(t *testing.T) {
	at := newThreads(t, keyed.WithIdleTimeout(1))
	at.stop = func(int) { time.Sleep(2 * time.Millisecond) } // which the next thread waits for
	for _, want := range []string{"1 1", "2 2"} {
		at.do(t, 1, func() { at.do(t, 1, nop) })
		eventually(t, func() bool { return at.counts(1) == want }, "a thread is stopped at once")
	}
	stopping, release := make(chan bool, 2), make(chan bool)
	slow := newThreads(t, keyed.WithIdleTimeout(1))
	slow.stop = func(int) { stopping <- true; <-release }
	slow.do(t, 1, nop)
	testutil.Arrives(t, stopping)
	next := blocks(t, func() { slow.do(t, 1, nop) })
	close(release)
	testutil.Arrives(t, next)
	soon := newThreads(t, keyed.WithIdleTimeout(time.Millisecond))
	for range 3 { // the last time is not the only one
		for key := range 5 {
			soon.do(t, key, nop)
		}
		eventually(t, func() bool { return soon.alive() == 0 }, "unused threads are stopped")
	}
	for _, d := range []time.Duration{0, -1} { // as in database/sql
		never := newThreads(t, keyed.WithIdleTimeout(d))
		never.do(t, 1, nop)
		time.Sleep(3 * time.Millisecond)
		if never.counts(1) != "1 0" {
			t.Errorf("stopped, although %v is no limit", d)
		}
	}
	stopped := make(chan struct{})
	func() {
		dropped := keyed.New[int](nil, keyed.WithStop(func(int) { close(stopped) }))
		dropped.Call(ctx, 1, ok)
	}()
	eventually(t, func() bool { return testutil.CollectedAndEnded(stopped) },
		"the thread of Threads that were dropped is stopped")
}

// Threads that are closed, and threads that have ended, are reclaimed, whatever refers to them.
func TestThreads_areReclaimed(t *testing.T) {
	closed := func() weak.Pointer[keyed.Threads[int]] {
		var k *keyed.Threads[int]
		k = keyed.New(func(int) error { runtime.KeepAlive(&k); return nil },
			keyed.WithStop(func(int) { panic(k) }), keyed.WithThreadOptions(quiet))
		k.Call(ctx, 1, ok)
		k.Close()
		return weak.Make(k)
	}()
	eventually(t, func() bool { runtime.GC(); return closed.Value() == nil },
		"closed Threads, to which their functions and a panic refer, are collected")
	k := keyed.New[*[64]byte](nil)
	defer k.Close()
	ended := func() weak.Pointer[[64]byte] {
		key := new([64]byte)
		k.Call(ctx, key, ok)
		k.Forget(key)
		return weak.Make(key)
	}()
	eventually(t, func() bool { runtime.GC(); return ended.Value() == nil },
		"the key of a thread that has ended is collected")
	started := func() weak.Pointer[[64]byte] {
		file := new([64]byte)
		k.CallWith(ctx, nil, func() error { file[0]++; return nil }, ok)
		return weak.Make(file)
	}()
	eventually(t, func() bool { runtime.GC(); return started.Value() == nil },
		"what a start refers to is collected while its thread lives")
}

// BenchmarkThread is for threadcall allocs: calls allocate nothing in the steady state.
func BenchmarkThread(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	k := keyed.New[int](nil)
	defer k.Close()
	f := func() { _ = k.Call(ctx, 1, ok); _ = k.Call(ctx, 2, ok) }
	f() // makes the threads
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
}
