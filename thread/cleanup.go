package thread

import (
	"runtime"

	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/internal/list"
)

// AddCleanup runs free(arg) on t after ptr has become unreachable, for example to delete a texture
// or a handle on the thread to which it belongs. [runtime.AddCleanup] and finalizers run elsewhere.
//
//	tex := &Texture{id: gl.GenTexture()}
//	thread.AddCleanup(t, tex, gl.DeleteTexture, tex.id)
//
// The garbage collector finds out at some time, or never, that ptr is unreachable. Then free is
// queued as by [Thread.Go], but without [WithQueueLimit]. A panic in free is as one in a function
// given to Go. The order of several cleanups is not specified.
//
// When t ends, it runs free for each ptr that is left, reachable or not: the last that was added
// first, after all queued functions have run or been refused, and before the functions of
// [WithStop]. Calls that free then makes to t run in place. The goroutine of a [Loop] does so when
// it calls Close; or when it stops serving, if the thread has been terminated. If that was
// elsewhere while it did not serve, Done is closed already. That of package mainthread does not: it
// ends with the process. Later, AddCleanup does nothing.
//
// A Thread from [New] that is dropped without Terminate ends when free has run for all ptr. The
// Thread itself, and the values of each [Local] for it, are collected before, and may refer to ptr.
// free and arg must not refer to ptr, nor arg to a Thread that does, or ptr is never unreachable.
//
// AddCleanup panics if ptr is nil or arg is ptr. For a t of a bubble, free runs when t ends.
func AddCleanup[T, A any](t *Thread, ptr *T, free func(A), arg A) Cleanup {
	mustNotBeNil(free == nil, "AddCleanup")
	if p, ok := any(arg).(*T); ptr == nil || ok && p == ptr {
		panic("thread: AddCleanup of a nil pointer, or with the pointer as its argument, which would " +
			"never become unreachable")
	}
	c := Cleanup{t.e, new(list.Node[func()])}
	life := t.life
	c.node.Value = func() {
		free(arg)
		runtime.KeepAlive(life)
	}
	if t.e.AtExit.Add(c.node) && !t.e.Bubbled() {
		runtime.AddCleanup(ptr, Cleanup.queue, c)
	}
	return c
}

// A Cleanup is what [AddCleanup] has added.
type Cleanup struct {
	e    *engine.Engine
	node *list.Node[func()]
}

// queue has the thread run the function, without a limit.
func (c Cleanup) queue() {
	if c.e.AtExit.Has(c.node) {
		c.e.Post(func() {
			if free := c.e.AtExit.Take(c.node); free != nil {
				free()
			}
		})
	}
}

// Stop removes the cleanup, and reports whether it has: then free has not run and will not. So a
// Close method that frees at once does so only if Stop returns true.
func (c Cleanup) Stop() bool { return c.e != nil && c.e.AtExit.Take(c.node) != nil }

// A thread of New ends when nothing refers to its life: no Thread, and no cleanup to begin.
type life struct{ e *engine.Engine }
