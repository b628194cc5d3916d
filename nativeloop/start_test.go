//go:build windows || (darwin && !ios) || (linux && !android && (amd64 || arm64))

package nativeloop_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

// startOwn starts a thread with a loop, for the time of the test.
func startOwn(t *testing.T, opts ...thread.Option) *thread.Thread {
	t.Helper()
	needNative(t)
	th, err := nativeloop.Start(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { testutil.Ends(t, th.Close) })
	return th
}

// postTo returns what has the loop of th call f without the package, or nil.
func postTo(th *thread.Thread) (post func(f func())) {
	th.Call(func() { post = newPost() })
	return post
}

func TestStart_runsCallsAndNativeEvents(t *testing.T) {
	th := startOwn(t)
	post := postTo(th)
	var ran, events atomic.Int64
	var callers testutil.Group
	for range 8 {
		callers.Go(func() {
			for range 500 {
				th.Call(func() { ran.Add(1) })
				th.Go(func() { ran.Add(1) })
			}
		})
	}
	for range 20 {
		if post == nil {
			events.Add(1)
			continue
		}
		post(func() {
			if th.On() && th.Call(func() {}) {
				events.Add(1)
			}
		})
	}
	callers.Wait()
	th.Call(func() {})
	if n := ran.Load(); n != 8000 {
		t.Errorf("%d of 8,000 functions have run", n)
	}
	testutil.Eventually(t, func() bool { return events.Load() == 20 }, "events, on the thread")
	testutil.Eventually(t, func() bool { return th.Stats().Running == 0 }, "the loop is no function")
}

// What is queued runs, and then the stop functions while the loop exists, whatever ends it.
func TestStart_endsInOrder(t *testing.T) {
	for name, end := range map[string]func(th *thread.Thread){
		"Close":               (*thread.Thread).Close,
		"Close on the thread": func(th *thread.Thread) { th.Call(th.Close) },
		"Close in a native event": func(th *thread.Thread) {
			if post := postTo(th); post != nil {
				post(th.Close)
			} else {
				th.Close()
			}
		},
		"the loop is told to quit": func(th *thread.Thread) { th.Call(func() { quitOwn(th) }) },
		"Terminate, after a call":  func(th *thread.Thread) { th.Call(func() {}); th.Terminate() },
		"dropped":                  nil,
	} {
		t.Run(name, func(t *testing.T) {
			needNative(t)
			var steps []string
			step := func(s string) { steps = append(steps, fmt.Sprint(s, " ", loopExists())) }
			done := func() <-chan struct{} {
				th, err := nativeloop.Start(
					thread.WithStart(func() error { step("start"); return nil }),
					thread.WithStop(func() { step("stop") }))
				if err != nil {
					t.Fatal(err)
				}
				hold := testutil.Occupy(t, th.Go)
				th.Go(func() { step("queued") })
				if end != nil {
					go end(th)
				}
				hold.Open()
				return th.Done()
			}()
			if end == nil {
				testutil.Eventually(t, func() bool { return testutil.CollectedAndEnded(done) }, "its end")
			}
			testutil.Arrives(t, done)
			if got := strings.Join(steps, ", "); got != "start true, queued true, stop true" {
				t.Error(got)
			}
		})
	}
}

func TestStart_returnsTheErrorOfAStart(t *testing.T) {
	needNative(t)
	broken, undone := errors.New("no device"), 0
	for range 3 {
		th, err := nativeloop.Start(
			thread.WithStart(func() error { return nil }),
			thread.WithStop(func() { undone++ }),
			thread.WithStart(func() error { return broken }))
		if th != nil || err != broken {
			t.Errorf("Start returned %v, %v", th, err)
		}
	}
	if undone != 3 {
		t.Errorf("%d of 3 starts are undone", undone)
	}
	testutil.MustPanic(t, func() {
		_, _ = nativeloop.Start(thread.WithStart(func() error { panic("in the start") }))
	}, "in the start")
}

// Panics reach callers, and a Goexit does not end the loop.
func TestStart_goesOnAfterPanicsAndGoexit(t *testing.T) {
	th := startOwn(t)
	for range 3 {
		testutil.MustPanic(t, func() { th.Call(func() { panic("called") }) }, "called")
		ended := make(chan bool)
		go func() {
			defer close(ended)
			th.Call(runtime.Goexit)
			t.Error("Goexit has not ended the caller")
		}()
		testutil.Arrives(t, ended)
		th.Go(runtime.Goexit)
		if !th.Call(func() {}) {
			t.Error("the thread has ended")
		}
	}
	if post := postTo(th); post != nil {
		raised := make(chan bool, 1)
		post(func() { raised <- th.On() })
		if !testutil.Arrives(t, raised) {
			t.Error("after Goexit, native events do not run on the thread")
		}
	}
}

// Threads with loops call each other and threads without in a cycle, and end at any time.
func TestStart_callsOtherThreads(t *testing.T) {
	a, b, c := startOwn(t), startOwn(t), thread.New()
	defer c.Close()
	var callers sync.WaitGroup
	for _, ring := range [][3]*thread.Thread{{a, b, c}, {b, c, a}, {c, a, b}} {
		callers.Add(1)
		go func() {
			defer callers.Done()
			for range 100 {
				ran := 0
				for _, first := range ring {
					first.Call(func() {
						ring[1].Call(func() { ring[2].Call(func() { first.Call(func() { ran++ }) }) })
					})
				}
				if ran != 3 {
					t.Errorf("%d of 3 have run", ran)
				}
			}
		}()
	}
	callers.Wait()
	for range 30 {
		th, err := nativeloop.Start()
		if err != nil {
			t.Fatal(err)
		}
		var ending testutil.Group
		for range 3 {
			ending.Go(func() {
				for th.Call(func() {}) {
				}
			})
		}
		ending.Go(th.Close)
		ending.Go(func() { th.Go(th.Terminate) })
		testutil.Ends(t, ending.Wait)
		testutil.Arrives(t, th.Done())
	}
}
