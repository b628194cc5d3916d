package thread_test

import (
	"iter"
	"testing"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/thread"
)

func TestANestedCallRunsInPlace(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		ends(t, func() {
			w.call(func() {
				outer := ident.G()
				ran := false
				ok := w.call(func() { ran = ident.G() == outer })
				if !ok || !ran {
					t.Errorf("told %v, ran in place: %v", ok, ran)
				}
			})
		})
	})
}

func TestCallsNestDeeply(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		depth := 0
		var deeper func()
		deeper = func() {
			if depth++; depth < 2000 {
				w.call(deeper)
			}
		}
		ends(t, func() { w.call(deeper) })
		if depth != 2000 {
			t.Errorf("%d calls ran", depth)
		}
	})
}

func TestANestedCallIsNotSentBehindWhatOthersHaveQueued(t *testing.T) {
	th := start(t)
	ran := false
	busy := occupy(t, func(f func()) bool {
		return th.Go(func() {
			f()
			th.Call(func() {
				if ran {
					t.Error("somebody else's function ran first")
				}
			})
		})
	})
	th.Go(func() { ran = true })
	busy.Open()
	th.Call(nop)
}

func TestACallFromACoroutineRunsInPlace(t *testing.T) {
	needsCoroutines(t)
	inEveryWay(t, func(t *testing.T, w way) {
		ends(t, func() {
			w.call(func() {
				its := here()
				var got []int
				for n := range pulled(func(yield func(int) bool) {
					for i := range 10 {
						v := -1
						if !w.call(func() {
							if v = i; here() != its {
								t.Error("ran on another thread")
							}
						}) {
							t.Error("told that it did not run")
						}
						yield(v)
					}
				}) {
					got = append(got, n)
				}
				for i, n := range got {
					if i != n {
						t.Errorf("result %d of the coroutine is %d", i, n)
					}
				}
			})
		})
	})
}

// pulled runs seq as a coroutine.
func pulled(seq iter.Seq[int]) iter.Seq[int] {
	return func(yield func(int) bool) {
		next, stop := iter.Pull(seq)
		defer stop()
		for v, ok := next(); ok && yield(v); v, ok = next() {
		}
	}
}

func TestAThreadMayBeMadeWhileACoroutineLives(t *testing.T) {
	next, stop := iter.Pull(func(yield func(int) bool) { _ = yield(1) && yield(2) })
	defer stop()
	next()
	th := start(t)
	if n, ok := next(); !th.Call(nop) || n != 2 || !ok {
		t.Errorf("the coroutine returned %d, %v", n, ok)
	}
}

func TestACoroutineIsOnTheThread(t *testing.T) {
	needsCoroutines(t)
	th, other := start(t), start(t)
	th.Call(func() {
		for range pulled(func(yield func(int) bool) {
			if !th.On() || other.On() {
				t.Errorf("on its own thread: %v, on another: %v", th.On(), other.On())
			}
			yield(0)
		}) {
		}
	})
}

func TestACoroutineMayOutliveTheCallThatMadeIt(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	var next func() (int, bool)
	var stop func()
	th.Call(func() {
		next, stop = iter.Pull(func(yield func(int) bool) {
			for i := 0; yield(i); i++ {
				th.Call(nop)
			}
		})
	})
	for i := range 100 {
		ends(t, func() {
			th.Call(func() {
				if n, _ := next(); n != i {
					t.Errorf("got %d, want %d", n, i)
				}
			})
		})
	}
	th.Call(stop)
}

func TestOnTellsWhereTheCallerIs(t *testing.T) {
	a, b := start(t), start(t)
	check := func(onA, onB bool) {
		t.Helper()
		if a.On() != onA || b.On() != onB {
			t.Errorf("on a: %v, on b: %v; want %v, %v", a.On(), b.On(), onA, onB)
		}
	}
	check(false, false)
	a.Call(func() {
		check(true, false)
		b.Call(func() { check(false, true) })
		a.Call(func() { check(true, false) })
		done := make(chan bool)
		go func() { check(false, false); close(done) }()
		<-done
	})
	a.Terminate()
	b.Terminate()
	check(false, false)
}

func TestThreadsHaveNumbersOfTheirOwn(t *testing.T) {
	seen := map[uint64]bool{}
	for range 10 {
		th := thread.New()
		if id := th.ID(); id == 0 || seen[id] || th.ID() != id {
			t.Errorf("ID %d after %v", id, seen)
		}
		seen[th.ID()] = true
		th.Terminate()
	}
}
