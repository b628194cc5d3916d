package thread_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// While the function is queued, further posts change its arguments and nothing else.
func TestCoalesce_queuesTheFunctionOnce(t *testing.T) {
	th := start(t, thread.WithQueueLimit(1))
	var ran []string
	note := func(s string) func() { return func() { ran = append(ran, s) } }
	redraw := th.Coalesce(note("redraw"))
	resize := thread.Coalesce1(th, func(size string) { note("resize " + size)() })
	move := thread.Coalesce1(th, func(to [2]string) { note("move " + to[0] + to[1])() })
	busy := occupy(t, th.Go)
	post := func(ok bool) {
		t.Helper()
		if !ok {
			t.Error("a post was refused")
		}
	}
	post(redraw())
	post(resize("1"))
	post(th.Go(note("go"))) // which fills the queue
	ends(t, func() {
		post(redraw())
		post(move([2]string{"1", "2"}))
		post(resize("2"))
		post(move([2]string{"3", "4"}))
		post(redraw())
	})
	busy.Open()
	th.Call(nop)
	if want := []string{"redraw", "resize 2", "go", "move 34"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
	ran = nil
	for range 3 {
		post(redraw())
		th.Call(nop)
	}
	if want := []string{"redraw", "redraw", "redraw"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
}

// The function begins before the post that has queued it returns: the thread runs it while that
// post wakes the event loop. The next post queues it once more.
func TestCoalesce_beginsBeforeItsPostReturns(t *testing.T) {
	adopted(t, func(h *host) {
		ran := 0
		post := thread.Coalesce1(h.Thread, func(n int) { ran = n })
		h.loop.OnWake(func() { h.loop.Serve(0) })
		for n := 1; n <= 3; n++ {
			if !post(n) || ran != n {
				t.Fatalf("the run with %d was lost: the last one was with %d", n, ran)
			}
		}
	})
}

// Calls that are made on the thread do not run what is coalesced there.
func TestCoalesce_doesNotRunBeforeANestedCall(t *testing.T) {
	for name, th := range map[string]*thread.Thread{
		"New": start(t), "an event loop": waits(t, nil).Thread,
	} {
		drawn := 0
		redraw := th.Coalesce(func() { drawn++ })
		th.Call(func() {
			for range 10 {
				redraw()
				th.Call(nop)
			}
			if drawn != 0 {
				t.Errorf("%s: drawn %d times before the function has returned", name, drawn)
			}
		})
		if th.Call(nop); drawn != 1 {
			t.Errorf("%s: drawn %d times, want once", name, drawn)
		}
	}
}

func TestCoalesce_returnsFalseAfterTheEnd(t *testing.T) {
	th := thread.New()
	ran := 0
	post, unused := th.Coalesce(func() { ran++ }), thread.Coalesce1(th, func(int) { ran++ })
	if th.Coalesce(nil)() || thread.Coalesce1[int](th, nil)(1) {
		t.Error("true for a nil function")
	}
	busy := occupy(t, th.Go)
	if !post() {
		t.Error("false although the thread lives")
	}
	th.Terminate()
	for range 2 {
		if post() || unused(1) {
			t.Error("true although the thread is terminated")
		}
	}
	busy.Open()
	<-th.Done()
	if post() || unused(1) || ran != 0 {
		t.Errorf("true although the thread has ended, or a function ran: %d", ran)
	}
}

// keepsNoThread fails the test unless a post keeps its Thread, and a function that it has queued
// does not.
func keepsNoThread(t *testing.T, bind func(*thread.Thread, func(bool)) (post func(bool) bool)) {
	th := thread.New()
	handle, done, ran := weak.Make(th), th.Done(), make(chan bool, 1)
	post := bind(th, func(bool) { ran <- true })
	first := occupy(t, th.Go)
	th = nil
	for range 3 {
		runtime.GC()
	}
	if !post(true) {
		t.Fatal("the Thread was reclaimed although it can be posted to")
	}
	post = nil
	collected(t, handle, "the Thread")
	first.Open()
	<-ran
	eventually(t, func() bool { return collectedAndEnded(done) }, "the thread ends")
}

func TestCoalesce_letsGoOfArguments(t *testing.T) {
	keepsNoThread(t, thread.Coalesce1[bool])
	th := start(t)
	run := thread.Coalesce1(th, func(f func()) { f() })
	busy := occupy(t, th.Go)
	captured(t, "an argument that was replaced", func(f func()) { run(f); run(nop) })
	busy.Open()
	captured(t, "an argument", func(f func()) { run(f); th.Call(nop) })
	captured(t, "an argument of a Goexit",
		func(f func()) { run(func() { f(); runtime.Goexit() }); th.Call(nop) })
	th.Terminate()
	captured(t, "an argument that was refused", func(f func()) { run(f) })
	runtime.KeepAlive(run)
}

// Posts at the same time leave nothing in the queue that runs with what is posted after the
// function has begun: that would be before what its goroutine has posted in between.
func TestCoalesce_isInTheOrderOfItsGoroutine(t *testing.T) {
	th := start(t)
	others := []*thread.Thread{start(t), start(t)}
	for round := range scaled(1000) {
		var ran []int
		begun, release := make(chan bool), make(chan bool)
		post := thread.Coalesce1(th, func(n int) {
			if ran = append(ran, n); len(ran) == 1 {
				close(begun)
				<-release
			}
		})
		busy := occupy(t, th.Go)
		var posters testutil.Group
		var ready atomic.Int32
		for i, other := range others {
			f := func() {
				ready.Add(1)
				for n := 0; ready.Load() < 2; n++ { // or the posts hardly meet
					if n > 10_000 {
						runtime.Gosched()
					}
				}
				post(i)
			}
			posters.Go(func() {
				if round%2 == 0 {
					f()
				} else {
					other.Call(f)
				}
			})
		}
		posters.Wait()
		busy.Open()
		testutil.Arrives(t, begun)
		th.Go(func() { ran = append(ran, 2) })
		post(3)
		close(release)
		if th.Call(nop); !slices.Equal(ran[1:], []int{2, 3}) {
			t.Fatalf("round %d: ran %v, want 2 and 3 at the end", round, ran)
		}
	}
}

// In a cycle of threads, what a thread has posted runs before what it calls then, although another
// goroutine has posted before; and once.
func TestCoalesce_runsBeforeTheNextCallInACycle(t *testing.T) {
	a, b := start(t), start(t)
	var ran []string
	post := thread.Coalesce1(a, func(s string) { ran = append(ran, s) })
	redraw := a.Coalesce(func() { ran = append(ran, "redraw") })
	for range 3 {
		ran = nil
		ends(t, func() {
			a.Call(func() {
				ends(t, func() { post("first"); redraw(); redraw() })
				b.Call(func() {
					post("second")
					redraw()
					redraw()
					a.Call(func() { ran = append(ran, "call") })
				})
			})
			a.Call(nop)
		})
		if want := []string{"second", "redraw", "call"}; !slices.Equal(ran, want) {
			t.Errorf("ran %q, want %q", ran, want)
		}
	}
}
