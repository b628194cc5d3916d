package thread_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// What is called, posted and set before a goroutine adopts waits for it, in its order.
func TestAdoptLater(t *testing.T) {
	th, adopt := thread.AdoptLater(thread.WithName("loop"), thread.WithQueueLimit(2))
	th.Stats()
	wake := make(chan bool, 1)
	th.OnWake(func() {
		select {
		case wake <- true:
		default:
		}
	})
	var ran []int
	add := func(i int) func() {
		return func() {
			if !th.On() {
				t.Error("a function runs off the thread")
			}
			ran = append(ran, i)
		}
	}
	th.Go(add(0))
	th.Go(add(1))
	testutil.Arrives(t, wake)
	ends(t, func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if th.TryGo(nop) || th.GoContext(ctx, nop) || th.CallContext(ctx, nop) != context.Canceled ||
			th.On() || th.Stats().Queued != 2 {
			t.Errorf("before it is adopted: On %v, %d queued", th.On(), th.Stats().Queued)
		}
	})
	called, closed := make(chan bool, 2), make(chan bool, 1)
	go func() {
		called <- th.Go(add(2)) // waits for a place
		called <- th.Call(add(3))
		th.Close()
		closed <- true
	}()
	ends(t, func() {
		if err := adopt(); err != nil || !th.On() || !ident.Locked() && here() != 0 {
			t.Errorf("adopt returns %v; On %v", err, th.On())
		}
		testutil.Arrives(t, wake) // again
		err := th.ServeContext(context.Background())
		if err != thread.ErrTerminated || th.On() || ident.Locked() {
			t.Errorf("after Close, %v; On %v, locked %v", err, th.On(), ident.Locked())
		}
		thread.Adopt().Terminate()
	})
	for _, c := range []chan bool{called, called, closed} {
		if !testutil.Arrives(t, c) {
			t.Error("it was refused")
		}
	}
	if want := []int{0, 1, 2, 3}; !slices.Equal(ran, want) {
		t.Errorf("%v ran, want %v", ran, want)
	}
	mustPanic(t, func() { thread.AdoptLater(thread.WithStop(nop)) }, "AdoptLater")
}

// An adopt that fails returns an error that says why, and changes nothing.
func TestAdoptLater_fails(t *testing.T) {
	th, adopt := thread.AdoptLater()
	fails := func(adopt func() error, why string) {
		t.Helper()
		if err := adopt(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("adopt returns %v, want %q", err, why)
		}
	}
	start(t).Call(func() { fails(adopt, "already") })
	ends(t, func() {
		if err := adopt(); err != nil {
			t.Errorf("after one that failed, adopt returns %v", err)
		}
		fails(adopt, "adopted already")
		ends(t, func() { fails(adopt, "adopted already") })
		if n := 0; !th.Call(func() { n++ }) || n != 1 {
			t.Error("a call does not run in place")
		}
		th.Terminate()
		fails(adopt, "terminated")

		later, adoptLater := thread.AdoptLater()
		refused := make(chan bool)
		go func() { refused <- !later.Call(func() { t.Error("it ran") }) }()
		later.Go(func() { t.Error("it ran") })
		later.Terminate()
		if !testutil.Arrives(t, refused) || later.Go(nop) {
			t.Error("Terminate does not refuse what waits for adopt")
		}
		testutil.Arrives(t, later.Done())
		later.Close()
		err := adoptLater()
		if !errors.Is(err, thread.ErrTerminated) || later.On() || ident.Locked() {
			t.Errorf("after Terminate, adopt returns %v; On %v", err, later.On())
		}
		thread.Adopt().Terminate()
	})
}

// Of several goroutines one adopts, whatever Terminate and callers do meanwhile, and nothing of it
// is left.
func TestAdoptLater_atOnce(t *testing.T) {
	for range scaled(2000) {
		th, adopt := thread.AdoptLater()
		var adopted atomic.Int32
		var all group.Group
		for range 3 {
			all.Go(func() {
				ends(t, func() {
					err := adopt()
					if err == nil {
						adopted.Add(1)
						_ = th.ServeContext(context.Background())
					}
					if th.On() || ident.Locked() {
						t.Errorf("after %v, On %v, locked %v", err, th.On(), ident.Locked())
					}
					thread.Adopt().Terminate()
				})
			})
		}
		all.Go(func() { th.Call(nop); th.Go(nop); th.On() })
		all.Go(th.Terminate)
		all.Wait()
		if adopted.Load() > 1 {
			t.Fatalf("%d goroutines have adopted the thread", adopted.Load())
		}
	}
}
