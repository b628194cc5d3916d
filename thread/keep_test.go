package thread_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// No other Thread gets the thread of a start that has failed, however it failed.
func TestWithKeep_failed(t *testing.T) {
	if here() == 0 {
		t.Skip("the system does not distinguish threads")
	}
	keep := thread.WithKeep()
	for name, fail := range map[string]func() error{
		"error":  func() error { return errStart },
		"panic":  func() error { panic(errStart) },
		"Goexit": func() error { runtime.Goexit(); return nil },
	} {
		tids := make(chan uint64, 1)
		failing := thread.WithStart(func() error { tids <- here(); return fail() })
		for by, begin := range map[string]func(){
			"New":       func() { thread.New(keep, failing) },
			"Start":     func() { thread.Start(keep, failing) },
			"NewPool":   func() { thread.NewPool(1, keep, failing) },
			"StartPool": func() { thread.StartPool(1, keep, failing) },
		} {
			go recovered(begin)
			tid := testutil.Arrives(t, tids)
			for range 10 {
				time.Sleep(100 * time.Microsecond) // for threads to wait for the next that is made
				th := thread.New(keep)
				if thread.Eval(th, here) == tid {
					t.Errorf("%s, %s: the thread is lent", by, name)
				}
				th.Close()
			}
		}
	}
}

func TestWithKeep(t *testing.T) {
	seen, collected := map[uint64]bool{}, make(chan bool, 20)
	for range cap(collected) {
		th, other := thread.New(thread.WithKeep()), start(t)
		runtime.AddCleanup(th, func(c chan bool) { c <- true }, collected)
		tid := thread.Eval(th, here)
		seen[tid] = true
		exits(t, func() { th.Call(runtime.Goexit) })
		for range 1000 {
			th.Call(runtime.UnlockOSThread) //threadcall:ignore the thread must survive it
		}
		if thread.Eval(th, here) != tid || !thread.Eval(th, th.On) || thread.Eval(th, other.On) || thread.Eval(other, th.On) {
			t.Fatal("not on a thread of its own")
		}
		th.Terminate()
		time.Sleep(time.Millisecond) // or the next may come too early for this one
	}
	if len(seen) > cap(collected)/2 {
		t.Errorf("%d threads, one after the other", len(seen))
	}
	eventually(t, func() bool { runtime.GC(); return len(collected) >= cap(collected)-1 }, "the handles are collected")
}
