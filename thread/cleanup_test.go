package thread_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// texture has a size that the tiny allocator does not handle.
type texture struct {
	id int
	_  [4]*texture
}

// newTexture returns nothing: the texture that it makes is unreachable.
//
//go:noinline
func newTexture(th *thread.Thread, id int, free func(int)) runtime.Cleanup {
	tex := &texture{id: id}
	return thread.AddCleanup(th, tex, free, tex.id)
}

func TestAddCleanup_freesOnTheThread(t *testing.T) {
	adopted := make(chan *thread.Thread)
	go func() {
		l := thread.Adopt()
		defer l.Close()
		adopted <- l.Thread()
		_ = l.ServeContext(t.Context())
	}()
	threads := map[string]*thread.Thread{"New": start(t), "Adopt": <-adopted}
	for name, th := range threads {
		t.Run(name, func(t *testing.T) {
			freed, kept := make(chan bool, 10), &texture{id: 7}
			never := thread.AddCleanup(th, kept, func(int) { t.Error("freed, which is reachable") }, 7)
			for i := range 10 {
				newTexture(th, i, func(id int) { freed <- th.On() && id == i })
			}
			for n := 0; n < 10; n++ {
				eventually(t, func() bool { runtime.GC(); return len(freed) > 0 }, "number %d", n)
				if !<-freed {
					t.Error("not on the thread, or with another argument")
				}
			}
			never.Stop()
			runtime.KeepAlive(kept)
		})
	}
}

// A thread that hangs, with a full queue, delays neither the collector nor the cleanups of others.
func TestAddCleanup_delaysNoOtherIfAThreadHangs(t *testing.T) {
	th, other := start(t, thread.WithQueueLimit(1)), start(t)
	busy := occupy(t, th.Go)
	th.TryGo(nop)
	var freed, others atomic.Int32
	for i := range 100 {
		newTexture(th, i, func(int) { freed.Add(1) })
		newTexture(other, i, func(int) { others.Add(1) })
	}
	eventually(t, func() bool { runtime.GC(); return others.Load() == 100 }, "the other's are freed")
	if n := freed.Load(); n != 0 {
		t.Errorf("%d freed by a thread that hangs", n)
	}
	busy.Open()
	eventually(t, func() bool { return freed.Load() == 100 }, "they are freed")
}

func TestAddCleanup_doesNotRunAfterTerminate(t *testing.T) {
	th := start(t)
	th.Stats()
	newTexture(th, 1, func(int) { t.Error("freed after Terminate") })
	th.Terminate()
	eventually(t, func() bool { runtime.GC(); return th.Stats().Refused == 1 }, "it is refused")
	for _, bad := range []func(){
		func() { thread.AddCleanup(th, (*texture)(nil), func(int) {}, 1) },
		func() { x := new(texture); thread.AddCleanup(th, x, func(*texture) {}, x) },
	} {
		mustPanic(t, bad, "AddCleanup")
	}
}

// A Thread that was dropped ends after it has freed everything, although what it stores refers to
// that, and is not kept until then.
func TestAddCleanup_keepsADroppedThreadUntilAllIsFreed(t *testing.T) {
	var freed atomic.Int32
	kept := &texture{id: 1}
	handle, done := func() (weak.Pointer[thread.Thread], <-chan struct{}) {
		th := thread.New()
		stored := &texture{id: 2}
		new(thread.Local[*texture]).Set(th, stored)
		for _, tex := range []*texture{kept, stored, {id: 3}} {
			thread.AddCleanup(th, tex, func(int) { freed.Add(1) }, tex.id)
		}
		th.Call(nop)
		return weak.Make(th), th.Done()
	}()
	collected(t, handle, "the Thread")
	eventually(t, func() bool { runtime.GC(); return freed.Load() == 2 }, "two are freed")
	select {
	case <-done:
		t.Error("the thread has ended before it has freed everything")
	default:
	}
	runtime.KeepAlive(kept)
	kept = nil
	eventually(t, func() bool { return collectedAndEnded(done) }, "the thread ends")
	testutil.Arrives(t, done)
	if n := freed.Load(); n != 3 {
		t.Errorf("%d of 3 are freed", n)
	}
}
