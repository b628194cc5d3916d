package thread_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

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
