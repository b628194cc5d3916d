package keyed

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

func nothing() error { return nil }

// Calls find the threads of most keys without mu, of whatever number of keys, and not those that
// have been shut.
func TestRecent(t *testing.T) {
	h := New[int](nil)
	defer h.Close()
	k := h.k
	found := func(keys int) (n int) {
		for key := range keys {
			if x := k.recent.find(key); x != nil {
				if x.state.key != key {
					t.Fatalf("key %d has the thread of key %d", key, x.state.key)
				}
				n++
			}
		}
		return n
	}
	if found(1) != 0 {
		t.Error("a thread before the first call")
	}
	const keys = 100
	for key := range keys {
		if err := h.Call(t.Context(), key, nothing); err != nil {
			t.Fatal(err)
		}
		if x := k.recent.find(key); x == nil {
			t.Errorf("key %d is not found after its first call", key)
		}
	}
	if n := found(keys); n < keys*9/10 { // 97 in the mean
		t.Errorf("of %d keys, %d are found", keys, n)
	}
	for key := range keys {
		h.Forget(key)
	}
	if n := found(keys); n > 0 {
		t.Errorf("%d threads that are forgotten are found", n)
	}
}

// A key that has lost its places to others gets one again.
func TestRecent_add(t *testing.T) {
	var all []*worker[int]
	for key := range 3 {
		all = append(all, &worker[int]{state: &keyState[int]{key: key}})
	}
	var r recent[int]
	r.fit(all)
	first, second := r.places.Load().of(0)
	for range 3 {
		for _, x := range all {
			first.Store(nil)
			second.Store(nil)
			if r.add(x, all); r.find(x.state.key) != x {
				t.Fatal("it is not found")
			}
		}
	}
	first.Store(all[1])
	if r.add(all[0], all); first.Load() != all[0] || second.Load() != all[1] {
		t.Error("it does not leave its second place to what was in the first")
	}
	if r.remove(all[0]); first.Load() != nil || second.Load() != all[1] {
		t.Error("another is removed")
	}
}

// A thread that has been shut counts no more calls, and less.
func TestUse_shut(t *testing.T) {
	var u use
	steps := func(f func() bool, want bool, calls int64) {
		t.Helper()
		if got := f(); got != want || u.calls.Load() != calls {
			t.Errorf("%v, %#x; want %v, %#x", got, u.calls.Load(), want, calls)
		}
	}
	steps(u.take, true, 1)
	steps(u.leaves, false, 1)
	steps(u.take, true, 2)
	steps(u.leaves, true, 1)
	u.calls.Store(shut + 2)
	steps(u.take, false, shut+2)
	steps(u.leaves, true, shut+1)
	steps(u.leaves, false, shut+1)
}

// Calls for keys that have threads do not take mu, while nothing waits for a thread and a timer is
// set. In a bubble they would not wait for it either.
func TestCall_takesNoLock(t *testing.T) {
	k := New[int](nil)
	defer k.Close()
	for range 2 { // the first of them sets the timer
		if err := k.Call(t.Context(), 1, nothing); err != nil {
			t.Fatal(err)
		}
	}
	k.k.mu.Lock()
	returned := make(chan error)
	go func() { returned <- k.Call(t.Context(), 1, nothing) }()
	err := testutil.Arrives(t, returned)
	k.k.mu.Unlock()
	if err != nil {
		t.Error(err)
	}
}

// Threads that calls use without mu are ended for others, beyond the limit of none.
func TestCall_besideOthersThatNeedThreads(t *testing.T) {
	const keys, callers, most = 6, 4, 3
	k := New(func(int) error { return nil }, WithMaxThreads(most))
	defer k.Close()
	var running [keys]atomic.Int32
	var all testutil.Group
	for i := range callers {
		all.Go(func() {
			for n := range 3000 {
				key := (n/(20+i) + i) % keys // for a while the same
				err := k.Call(context.Background(), key, func() error {
					if running[key].Add(1) != 1 {
						t.Errorf("two functions of key %d overlap", key)
					}
					running[key].Add(-1)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				if s := k.Stats(); s.Threads > most || s.InUse < 0 || s.Idle > s.Threads {
					t.Errorf("%+v", s)
				}
				if n%500 == 0 {
					k.Forget(key)
				}
			}
		})
	}
	testutil.Ends(t, all.Wait)
	if s := k.Stats(); s.MaxThreadsEnded == 0 || s.InUse != 0 {
		t.Errorf("at the end: %+v", s)
	}
}
