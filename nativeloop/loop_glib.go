//go:build linux && !android && (amd64 || arm64 || riscv64)

package nativeloop

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

const (
	glibName   = "libglib-2.0.so.0"
	noLoad     = 4  // RTLD_NOLOAD: succeeds only for what is in the process
	sourceSize = 96 // at least that of a GSource
	ioIn       = 1  // G_IO_IN

	// priority is that of GTK's redraws, G_PRIORITY_HIGH_IDLE+20. Input and relayouts (0 and 110) come
	// before both, and idle functions (200) after. A higher one would let calls stop redraws.
	priority = 120
)

// glib has what is in the process once. Purego never frees a callback, so all loops share one.
var glib struct {
	sync.Mutex
	library
	functions [6]uintptr            // a GSourceFuncs with dispatch alone
	loops     map[uintptr]*glibLoop // by source
}

// openGLib fills glib, which must be locked.
func openGLib() error {
	if glib.loops != nil {
		return nil
	}
	opened, err := purego.Dlopen(glibName, purego.RTLD_NOW|noLoad)
	if err != nil {
		return fmt.Errorf("%w; %s is not in the process: load the toolkit before Attach", ErrNoLoop,
			glibName)
	}
	glib.library, err = find(opened, "g_main_context_get_thread_default", "g_main_context_default",
		"g_main_context_is_owner", "g_main_context_acquire", "g_main_context_release",
		"g_main_context_ref", "g_main_context_unref", "g_main_context_iteration",
		"g_main_context_new", "g_main_context_push_thread_default",
		"g_main_context_pop_thread_default", "g_source_new", "g_source_attach", "g_source_destroy",
		"g_source_unref", "g_source_set_priority", "g_source_set_can_recurse",
		"g_source_add_unix_fd")
	if err != nil {
		return err
	}
	glib.functions[2] = purego.NewCallback(dispatch)
	glib.loops = map[uintptr]*glibLoop{}
	return nil
}

// A glibLoop is a source of a context that polls an eventfd; for an event GLib calls dispatch.
//
//	wake      if !woken.Swap(true) { put an event }
//	dispatch  take the event; woken = false; serve
//
// So a wake-up that puts no event comes before serve. When serve is about to run several functions,
// it calls wake first, and an event loop that one of them runs begins with a dispatch.
//
// A dispatch on another thread, which runs the context by mistake, takes the event and reports that
// once. The event is put again later, for when the thread itself runs the context.
//
// A ready time of the source would do as well, but GLib takes a lock for it, and wakes its own loop
// when dispatch resets it: two turns instead of one, and calls took 1.5 to 2 times as long.
type glibLoop struct {
	serve   func(rest func())
	rest    func() // wake, made once
	woken   atomic.Bool
	context uintptr
	source  uintptr
	thread  int
	other   atomic.Int64 // the last other thread on which dispatch was called, or zero

	mu sync.Mutex // held to use the eventfd
	fd int        // -1 after detach
}

// again is after how long dispatch is called again that was called on another thread.
const again = 100 * time.Millisecond

func attach(serve func(rest func())) (native, error) {
	glib.Lock()
	defer glib.Unlock()
	if err := openGLib(); err != nil {
		return nil, err
	}
	const advice = "make one for the thread, and call g_main_context_push_thread_default before Attach"
	l := &glibLoop{serve: serve, thread: syscall.Gettid()}
	context := glib.call("g_main_context_get_thread_default")
	if context == 0 {
		context = glib.call("g_main_context_default")
		if l.thread != syscall.Getpid() && int32(glib.call("g_main_context_is_owner", context)) == 0 {
			return nil, fmt.Errorf("%w, the default one, or may: the main thread; %s, or own it "+
				"(g_main_context_acquire)", ErrOwned, advice)
		}
	}
	if int32(glib.call("g_main_context_acquire", context)) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrOwned, advice)
	}
	glib.call("g_main_context_release", context)
	l.rest = l.wake
	const flags = syscall.O_NONBLOCK | syscall.O_CLOEXEC
	fd, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, flags, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("eventfd", errno)
	}
	l.fd, l.context = int(fd), glib.call("g_main_context_ref", context)
	l.source = glib.call("g_source_new", uintptr(unsafe.Pointer(&glib.functions)), sourceSize)
	glib.loops[l.source] = l
	glib.call("g_source_add_unix_fd", l.source, fd, ioIn)
	glib.call("g_source_set_priority", l.source, priority)
	glib.call("g_source_set_can_recurse", l.source, 1)
	glib.call("g_source_attach", l.source, context)
	return l, nil
}

// An ownContext is a glibLoop whose context was made for it.
type ownContext struct{ *glibLoop }

func newOwnLoop(serve func(rest func())) (native, func() error, error) {
	if _, err := purego.Dlopen(glibName, purego.RTLD_NOW); err != nil {
		return nil, nil, fmt.Errorf("%w; %w", ErrNoLoop, err)
	}
	glib.Lock()
	err := openGLib()
	glib.Unlock()
	if err != nil {
		return nil, nil, err
	}
	context := glib.call("g_main_context_new")
	glib.call("g_main_context_push_thread_default", context)
	l, err := attach(serve)
	if err != nil {
		popContext(context)
		return nil, nil, err
	}
	return ownContext{l.(*glibLoop)}, l.turner(), nil
}

func (c ownContext) detach() {
	c.glibLoop.detach()
	popContext(c.context)
}

func popContext(context uintptr) {
	glib.call("g_main_context_pop_thread_default", context)
	glib.call("g_main_context_unref", context)
}

// dispatch is called by GLib when a source is ready, on the thread that runs its context.
func dispatch(source, _, _ uintptr) uintptr {
	glib.Lock()
	l := glib.loops[source]
	glib.Unlock()
	if l == nil { // detached, while another thread ran the context
		return 0 // G_SOURCE_REMOVE
	}
	l.event(syscall.SYS_READ)
	if l.here() {
		l.woken.Store(false)
		l.serve(l.rest)
		return 1 // G_SOURCE_CONTINUE
	}
	if id := int64(syscall.Gettid()); l.other.Swap(id) != id {
		fmt.Fprintf(os.Stderr, "%v\n", l.conflict())
	}
	time.AfterFunc(again, func() {
		if l.woken.Load() {
			l.event(syscall.SYS_WRITE)
		}
	})
	return 1
}

// conflict returns the error of a thread that cannot run its context.
func (l *glibLoop) conflict() error {
	other := "another thread"
	if id := l.other.Load(); id != 0 {
		other = fmt.Sprintf("thread %d", id)
	}
	return fmt.Errorf("%w: %s runs the context to which thread %d is attached, so that calls of "+
		"thread %[3]d wait; run it on the thread that called Attach", ErrOwned, other, l.thread)
}

func (l *glibLoop) turner() (turn func() error) {
	return func() error {
		acquired := func() bool { return int32(glib.call("g_main_context_acquire", l.context)) != 0 }
		for since := time.Now(); !acquired(); time.Sleep(again / 100) {
			l.event(syscall.SYS_WRITE) // so that dispatch learns the number of the other thread
			if time.Since(since) >= again {
				return l.conflict()
			}
		}
		defer glib.call("g_main_context_release", l.context)
		const mayBlock = 1
		glib.call("g_main_context_iteration", l.context, mayBlock)
		return nil
	}
}

func (l *glibLoop) wake() {
	if !l.woken.Swap(true) {
		l.event(syscall.SYS_WRITE)
	}
}

// event reads or writes the eventfd, which does not block.
func (l *glibLoop) event(trap uintptr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := uint64(1)
	_, _, _ = syscall.RawSyscall(trap, uintptr(l.fd), uintptr(unsafe.Pointer(&n)), 8)
}

func (l *glibLoop) here() bool { return syscall.Gettid() == l.thread }

func (l *glibLoop) detach() {
	glib.Lock()
	delete(glib.loops, l.source)
	glib.Unlock()
	glib.call("g_source_destroy", l.source)
	glib.call("g_source_unref", l.source)
	glib.call("g_main_context_unref", l.context)
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = syscall.Close(l.fd)
	l.fd = -1 // a wake-up may be late
}
