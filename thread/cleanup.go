package thread

import (
	"runtime"

	"github.com/threadcall/threadcall/internal/engine"
)

// AddCleanup runs free(arg) on t after ptr has become unreachable, for example to delete a texture,
// a widget or a handle on the thread to which it belongs. [runtime.AddCleanup] and finalizers run
// elsewhere, where a library that is bound to a thread must not be called.
//
//	tex := &Texture{id: gl.GenTexture()}
//	thread.AddCleanup(t, tex, gl.DeleteTexture, tex.id)
//
// The garbage collector finds out at some time, or never, that ptr is unreachable: see
// runtime.AddCleanup. Then free is queued as by [Thread.Go], but not limited by [WithQueueLimit],
// so that the collector never waits for the thread. A panic in free is as one in a function given
// to Go. The order of several cleanups is not specified.
//
// If t has been terminated or closed by then, free does not run, and [Stats] counts it as Refused.
// A program frees the remaining objects in a function of [WithStop].
//
// A Thread from [New] that is dropped without Terminate ends when free has run for all ptr. The
// Thread itself, and the values of each [Local] for it, are collected before, and may refer to ptr.
// free and arg must not refer to ptr, nor arg to a Thread that does, or ptr would never become
// unreachable.
//
// The Cleanup that is returned can be stopped while ptr is reachable, for example by a Close method
// that frees at once: see [runtime.Cleanup.Stop] and [runtime.KeepAlive].
//
// AddCleanup panics if ptr is nil or arg is ptr. It does nothing for a t that was made in a bubble
// of testing/synctest, since the collector is outside.
func AddCleanup[T, A any](t *Thread, ptr *T, free func(A), arg A) runtime.Cleanup {
	mustNotBeNil(free == nil, "AddCleanup")
	if p, ok := any(arg).(*T); ptr == nil || ok && p == ptr {
		panic("thread: AddCleanup of a nil pointer, or with the pointer as its argument, which would " +
			"never become unreachable")
	}
	if t.e.Bubbled() {
		return runtime.Cleanup{}
	}
	return runtime.AddCleanup(ptr, func(c *cleanup) { c.of.e.Post(c.free) },
		&cleanup{t.life, func() { free(arg) }})
}

// A cleanup is a function that must run on a thread when an object has become unreachable.
type cleanup struct {
	of   *life // until free is queued, so that the thread ends behind it
	free func()
}

// A life keeps a thread that was made by New: it ends when nothing refers to the life, which the
// Thread does, and each cleanup that has not been queued.
type life struct{ e *engine.Engine }
