//go:build !ios

package nsgl

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebitengine/purego"
	"github.com/ebitengine/purego/objc"

	"github.com/threadcall/threadcall/mainthread"
)

// A Context is an NSOpenGLContext that is current on a thread. A nil one may be used.
type Context struct {
	object objc.ID
	marked atomic.Bool // update is to be done
}

var (
	guarded sync.Map // from the object to its *Context

	update   = objc.RegisterName("update")
	original uintptr // the method

	isMain func() int32
)

var replace = sync.OnceValue(func() bool {
	var find func(class objc.Class, name objc.SEL) (method uintptr)
	var get func(method uintptr) (f uintptr)
	var set func(method uintptr, f objc.IMP) (before uintptr)
	for name, f := range map[string]any{"class_getInstanceMethod": &find,
		"method_getImplementation": &get, "method_setImplementation": &set,
		"pthread_main_np": &isMain} {
		address, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
		if err != nil {
			return false
		}
		purego.RegisterFunc(f, address)
	}
	method := find(objc.GetClass("NSOpenGLContext"), update)
	if method == 0 {
		return false
	}
	original = get(method)
	set(method, objc.NewIMP(updateOrMark))
	return true
})

func updateOrMark(object objc.ID, _ objc.SEL) {
	if c, ok := guarded.Load(object); ok && isMain() != 0 {
		c.(*Context).marked.Store(true)
		return
	}
	updateNow(object)
}

func updateNow(object objc.ID) {
	_, _, _ = purego.SyscallN(original, uintptr(object), uintptr(update))
}

// Guard returns the context that is current on the calling thread, or nil.
func Guard() *Context {
	object := objc.ID(objc.GetClass("NSOpenGLContext")).Send(objc.RegisterName("currentContext"))
	if object == 0 || !replace() {
		return nil
	}
	c := &Context{object: object}
	c.marked.Store(true) // for what has happened since it was made
	guarded.Store(object, c)
	return c
}

// patience is for how long Update waits for the main thread, which does not serve while the user
// resizes a window. Then the frame has the old size.
const patience = 4 * time.Millisecond

// Update, on the context's thread, has the main thread update the context if that is to be done.
func (c *Context) Update() {
	if c == nil || !c.marked.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = mainthread.CallContext(ctx, func() {
		c.marked.Store(false)
		updateNow(c.object)
	})
}

// Release must be called before the context is destroyed.
func (c *Context) Release() {
	if c != nil {
		guarded.Delete(c.object)
	}
}
