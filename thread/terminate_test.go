package thread_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func TestAfterTerminateNothingRunsAndTheCallsSaySo(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		w.call(nop)
		w.terminate()
		for range 10 {
			if w.call(func() { t.Error("ran") }) {
				t.Error("Call says that it ran")
			}
			if w.post(func() { t.Error("ran") }) {
				t.Error("Go says that it will run")
			}
			time.Sleep(time.Millisecond)
		}
	})
}

func TestTerminateBeforeTheThreadHasBegun(t *testing.T) {
	for range 200 {
		th, p := thread.New(), thread.NewPool(2)
		th.Terminate()
		p.Terminate()
		if th.Call(nop) || th.Go(nop) || p.Call(nop) || p.Go(nop) {
			t.Fatal("told that it ran")
		}
	}
}

func TestAQueuedCallThatTerminateOvertookIsToldSoWhileTheThreadIsBusy(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		busy := occupy(t, w.post)
		const callers = 10
		results := make(chan bool)
		for range callers {
			go func() { results <- w.call(func() { t.Error("ran after Terminate") }) }()
		}
		time.Sleep(5 * time.Millisecond) // most of them are queued now
		for range callers {
			w.post(func() { t.Error("ran after Terminate") })
		}
		w.terminate()
		for range callers {
			if arrives(t, results) { // although nobody has opened the gate
				t.Error("told that it ran")
			}
		}
		busy.Open()
	})
}

func TestACallThatRunsWhenTerminateComesGoesOnToItsEnd(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		begun, release := make(chan bool), make(chan bool)
		result := make(chan bool)
		finished := false
		go func() {
			result <- w.call(func() {
				close(begun)
				<-release
				finished = true
			})
		}()
		arrives(t, begun)
		w.terminate()
		close(release)
		if !arrives(t, result) || !finished {
			t.Error("told that it did not run")
		}
	})
}

func TestAThreadMayTerminateItself(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		after := false
		ends(t, func() {
			ok := w.call(func() {
				w.post(func() { t.Error("ran after Terminate") })
				w.terminate()
				w.terminate()
				if w.call(func() { t.Error("a nested call ran after Terminate") }) {
					t.Error("told that a nested call ran")
				}
				after = true
			})
			if !ok || !after {
				t.Errorf("told %v, the function came to its end: %v", ok, after)
			}
		})
		if w.call(nop) {
			t.Error("a later call ran")
		}
	})
}

func TestWhatWasPostedOnTheThreadMayTerminateItBeforeANestedCall(t *testing.T) {
	th := start(t)
	th.Call(func() {
		th.Go(th.Terminate)
		th.Go(func() { t.Error("a posted function ran after Terminate") })
		if th.Call(func() { t.Error("a nested call ran after Terminate") }) {
			t.Error("Call returned true after Terminate")
		}
	})
}

func TestAPostedFunctionMayTerminateTheThread(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		w.post(w.terminate)
		ends(t, func() {
			for w.call(nop) {
			}
		})
	})
}

func TestTerminateMayComeManyTimesAndAtOnce(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		ends(t, func() {
			var all group.Group
			for range 10 {
				all.Go(func() {
					for w.call(nop) {
					}
				})
				all.Go(w.terminate)
				all.Go(func() {
					for w.post(nop) {
					}
					w.terminate()
				})
			}
			all.Wait()
		})
		if w.call(nop) {
			t.Error("a call ran after Terminate")
		}
	})
}

func TestTerminateDoesNotWait(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		busy := occupy(t, w.post)
		ends(t, w.terminate)
		busy.Open()
	})
}

func TestThreadsMayTerminateEachOtherInACircle(t *testing.T) {
	a, b := thread.New(), thread.New()
	ends(t, func() {
		if !a.Call(func() {
			if !b.Call(func() {
				a.Terminate()
				if a.Call(func() { t.Error("ran after Terminate") }) {
					t.Error("told that it ran")
				}
				b.Terminate()
			}) {
				t.Error("told that the function on b did not run")
			}
		}) {
			t.Error("told that the function on a did not run")
		}
	})
}

func TestWhoIsQueuedWhenTerminateComesIsToldExactly(t *testing.T) {
	for range scaled(1000) {
		th := thread.New()
		var ran, told atomic.Int32
		ends(t, func() {
			var all group.Group
			for range 4 {
				all.Go(func() {
					for th.Call(func() { ran.Add(1) }) {
						told.Add(1)
					}
				})
			}
			time.Sleep(20 * time.Microsecond)
			th.Terminate()
			all.Wait()
		})
		if ran.Load() != told.Load() {
			t.Fatalf("%d functions ran, and %d callers were told so", ran.Load(), told.Load())
		}
	}
}

func TestEvalReturnsTheZeroValueAfterTerminate(t *testing.T) {
	th, p := thread.New(), thread.NewPool(1)
	th.Terminate()
	p.Terminate()
	if v := thread.Eval(th, func() string { return "ran" }); v != "" {
		t.Errorf("Eval returned %q", v)
	}
	if v, ok := thread.EvalPool(p, func() string { return "ran" }); v != "" || ok {
		t.Errorf("EvalPool returned %q, %v", v, ok)
	}
}
