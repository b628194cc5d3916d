package thread_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// keyedTest is a Keyed and what has happened to its threads.
type keyedTest struct {
	*thread.Keyed[int]

	mu            sync.Mutex
	starts, stops map[int]int // by key
	live, most    int
}

func newKeyed(t *testing.T, opts ...thread.KeyedOption) *keyedTest {
	k := &keyedTest{starts: map[int]int{}, stops: map[int]int{}}
	opts = append(opts, thread.WithKeyStop(func(key int) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.stops[key]++
		k.live--
	}))
	k.Keyed = thread.NewKeyed(func(key int) error {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.starts[key]++
		k.live++
		k.most = max(k.most, k.live)
		return nil
	}, opts...)
	t.Cleanup(func() {
		ends(t, k.Close)
		if k.live != 0 {
			t.Errorf("%d threads have not been stopped", k.live)
		}
	})
	return k
}

func (k *keyedTest) counts(key int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return fmt.Sprint(k.starts[key], " ", k.stops[key])
}

// do calls f for key, which must run.
func (k *keyedTest) do(t *testing.T, key int, f func()) {
	t.Helper()
	if err := k.Call(context.Background(), key, func() error { f(); return nil }); err != nil {
		t.Errorf("key %d: %v", key, err)
	}
}

// over is a context of another package that is done, although the one that it is made of is not.
type over struct{ context.Context }

func (over) Err() error { return context.Canceled }

func TestKeyed(t *testing.T) {
	k := newKeyed(t)
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
	if v := recovered(func() { k.Call(context.Background(), 1, func() error { panic(errStart) }) }); v != errStart {
		t.Errorf("Call panics with %v", v)
	}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		k.Call(context.Background(), 1, func() error { runtime.Goexit(); return nil })
	}()
	testutil.Arrives(t, ended)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errStart)
	if err := k.Call(ctx, 1, func() error { return nil }); err != errStart {
		t.Errorf("with a context that is done, Call returns %v", err)
	}
	if err := k.Call(over{context.Background()}, 1, func() error { t.Error("it runs"); return nil }); err != context.Canceled {
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
	if err := k.Call(context.Background(), 1, func() error { return nil }); err != thread.ErrTerminated {
		t.Errorf("after Close, Call returns %v", err)
	}
	if k.counts(1) != "1 1" || k.Len() != 0 {
		t.Errorf("after Close, key 1: %s; %d threads", k.counts(1), k.Len())
	}
}

func TestKeyedStartsThatFail(t *testing.T) {
	fail := true
	var kind string
	var started, stopped int
	k := thread.NewKeyed(func(key string) error {
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
	}, thread.WithMaxThreads(1), thread.WithKeyStop(func(string) { stopped++ }))
	for _, kind = range []string{"error", "panic", "Goexit"} {
		fail = true
		for range 3 {
			err := k.Call(context.Background(), "a", func() error { t.Error("the function runs"); return nil })
			var p *thread.PanicError
			if err == nil || err == thread.ErrTerminated || kind != "Goexit" && !errors.Is(err, errStart) || kind == "panic" != errors.As(err, &p) {
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

// At most n threads exist at any time, the one that was unused for longest goes first, and calls that wait get a place in their order.
func TestWithMaxThreads(t *testing.T) {
	k := newKeyed(t, thread.WithMaxThreads(3))
	for _, key := range []int{1, 2, 3, 1, 4} {
		k.do(t, key, nop)
	}
	if got := k.counts(1) + ", " + k.counts(2) + ", " + k.counts(3); got != "1 0, 1 1, 1 0" {
		t.Errorf("starts and stops of 1, 2, 3: %s; want the second stopped", got)
	}
	var all group.Group
	for g := range 16 {
		all.Go(func() {
			for i := range scaled(200) {
				key := (g*7 + i*i) % 9
				var ctx context.Context = context.Background()
				if i%5 == 0 {
					var cancel func()
					ctx, cancel = context.WithTimeout(ctx, time.Duration(i%7)*20*time.Microsecond)
					defer cancel()
				}
				err := k.Call(ctx, key, func() error { runtime.Gosched(); return nil })
				if err != nil && ctx.Err() == nil {
					t.Errorf("key %d: %v", key, err)
				}
			}
		})
	}
	ends(t, all.Wait)
	if k.most > 3 {
		t.Errorf("there were %d threads at once, and the limit is 3", k.most)
	}
}

// A key that is always in use does not keep another from its turn.
func TestAKeyInUseGivesItsPlaceToOneThatWaits(t *testing.T) {
	k := newKeyed(t, thread.WithMaxThreads(1))
	var stop atomic.Bool
	var all group.Group
	for range 3 {
		all.Go(func() {
			for !stop.Load() {
				k.do(t, 1, func() { runtime.Gosched() })
			}
		})
	}
	for range 20 {
		ends(t, func() { k.do(t, 2, nop) })
	}
	stop.Store(true)
	ends(t, all.Wait)
}

func TestAKeyedCallGivesUpItsWaitForAPlace(t *testing.T) {
	k := newKeyed(t, thread.WithMaxThreads(1))
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
func TestKeyedCallsInACycle(t *testing.T) {
	k := newKeyed(t, thread.WithMaxThreads(1))
	other := start(t)
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
func TestAKeyedCycleThatClosesLater(t *testing.T) {
	k := newKeyed(t, thread.WithMaxThreads(1))
	other := start(t)
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
	at := newKeyed(t, thread.WithIdleTimeout(0))
	at.do(t, 1, func() { at.do(t, 1, nop) })
	eventually(t, func() bool { return at.counts(1) == "1 1" }, "a thread is stopped at once")
	soon := newKeyed(t, thread.WithIdleTimeout(time.Millisecond))
	for key := range 5 {
		soon.do(t, key, nop)
	}
	eventually(t, func() bool { return soon.Len() == 0 }, "unused threads are stopped")
	soon.do(t, 1, nop)
	never := newKeyed(t, thread.WithIdleTimeout(-1))
	never.do(t, 1, nop)
	time.Sleep(3 * time.Millisecond)
	if never.counts(1) != "1 0" {
		t.Error("stopped, although the time is negative")
	}
}

func TestKeyedThreadOptions(t *testing.T) {
	var r events
	k := thread.NewKeyed(func(key string) error { r.add("start " + key); return nil },
		thread.WithThreadOptions(r.started("first"), r.stopped("last")), nil,
		thread.WithKeyStop(func(key string) { r.add("stop " + key); panic(errStart) }))
	k.Call(context.Background(), "a", func() error { return nil })
	k.Close()
	r.is(t, "first", "start a", "stop a", "last")
	if p := k.TakePanic(); !errors.Is(p, errStart) || k.TakePanic() != nil {
		t.Errorf("TakePanic returns %v", p)
	}
	mustPanic(t, func() { thread.NewKeyed(func(int) error { return nil }, thread.WithKeyStop(func(string) {})) }, "func(string)")
}

func TestKeyedKeysThatAreNotEqualToThemselves(t *testing.T) {
	k := thread.NewKeyed[float64](nil, thread.WithMaxThreads(2))
	for range 5 {
		ends(t, func() { k.Call(context.Background(), math.NaN(), func() error { return nil }) })
	}
	ends(t, k.Close)
}

func TestADroppedKeyedIsReclaimed(t *testing.T) {
	stopped := make(chan struct{})
	func() {
		k := thread.NewKeyed[int](nil, thread.WithKeyStop(func(int) { close(stopped) }))
		k.Call(context.Background(), 1, func() error { return nil })
	}()
	eventually(t, func() bool { return collectedAndEnded(stopped) }, "its thread is stopped")
}

// A thread that was made beyond the limit ends when it is unused, and calls that wait meanwhile come to their turn.
func TestAKeyedReturnsToItsLimit(t *testing.T) {
	k := newKeyed(t, thread.WithMaxThreads(1), thread.WithIdleTimeout(-1))
	k.do(t, 0, func() { k.do(t, 1, nop) })
	if n := k.Len(); n > 1 {
		t.Errorf("%d threads take calls, and the limit is 1", n)
	}
	for key := range 5 {
		ends(t, func() { k.do(t, key, func() { k.do(t, key+1, nop) }) })
	}
	stopping := thread.NewKeyed[int](nil, thread.WithMaxThreads(1), thread.WithIdleTimeout(-1))
	ends(t, func() {
		for key := range 5 {
			stopping.Call(context.Background(), key, func() error {
				return stopping.Call(context.Background(), key+1, func() error { return nil })
			})
		}
		stopping.Close()
	})
}

// Several keys that are always in use give places to several that wait.
func TestKeysInUseGiveTheirPlacesToThoseThatWait(t *testing.T) {
	k := newKeyed(t, thread.WithMaxThreads(2))
	var stop atomic.Bool
	var all group.Group
	for i := range 8 {
		all.Go(func() {
			for !stop.Load() {
				k.do(t, i%2, func() { time.Sleep(100 * time.Microsecond) })
			}
		})
	}
	for i := range scaled(60) {
		ends(t, func() { k.do(t, 2+i%3, nop) })
	}
	stop.Store(true)
	ends(t, all.Wait)
}

func TestAKeyedWithAKeyThatCannotBeHashed(t *testing.T) {
	k := thread.NewKeyed[any](nil)
	f := func() error { return nil }
	mustPanic(t, func() { k.Call(context.Background(), []int{1}, f) }, "hash")
	ends(t, func() {
		if err := k.Call(context.Background(), 1, f); err != nil {
			t.Error(err)
		}
		k.Close()
	})
}
