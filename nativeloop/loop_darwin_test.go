package nativeloop_test

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

// TestAttach runs event loops of a thread, one inside the other, in the default mode. What is
// queued behind a function that runs a loop was announced before, and must run in that loop.
func TestAttach(t *testing.T) {
	cf, err := purego.Dlopen("/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
		purego.RTLD_NOW)
	if err != nil {
		t.Fatal(err)
	}
	var runInMode func(mode uintptr, seconds float64, returnAfterSource bool) int32
	purego.RegisterLibFunc(&runInMode, cf, "CFRunLoopRunInMode")
	constant, err := purego.Dlsym(cf, "kCFRunLoopDefaultMode")
	if err != nil {
		t.Fatal(err)
	}
	turn := func() (handled bool) {
		return runInMode(**(**uintptr)(unsafe.Pointer(&constant)), 0.01, true) == 4
	}
	open := 0 // event loops
	run := func() {
		open++
		for level := open; open >= level; {
			turn()
		}
	}
	quit := func() { open-- }

	testutil.Ends(t, func() {
		th := thread.Adopt()
		defer th.Terminate()
		detach, err := nativeloop.Attach(th)
		if err != nil {
			t.Error(err)
			return
		}
		for range 2 {
			queued := make(chan bool)
			go func() {
				defer close(queued)
				th.Go(run)
				th.Go(run)
				th.Go(quit)
				th.Go(func() { go th.Call(func() { quit(); go th.Call(quit) }) })
			}()
			<-queued
			run()
		}
		for turn() { // what is left of wake-ups
		}
		th.Go(quit)
		if !turn() || open != -1 {
			t.Error("the loop has not run what is queued")
		}
		for turn() {
		}
		detach()
		th.Go(quit)
		if turn() || open != -1 {
			t.Error("detached, the loop has served the thread")
		}
		th.Serve()
	})
}
