//go:build linux && !android && (amd64 || arm64 || riscv64)

package nativeloop

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"
)

const (
	glibName   = "libglib-2.0.so.0"
	noLoad     = 4  // RTLD_NOLOAD: succeeds only for what is in the process
	sourceSize = 96 // at least that of a GSource
	never      = ^uintptr(0)
)

// glib has what is in the process once. Purego never frees a callback, so all loops share one.
var glib struct {
	sync.Mutex
	threadDefault, standard, acquire, release cFunction // of contexts
	create, attach, destroy, unref            cFunction // of sources
	setPriority, setCanRecurse, setReadyTime  cFunction
	functions                                 [6]uintptr // a GSourceFuncs with dispatch alone

	loops map[uintptr]*glibLoop // by source
}

// openGLib fills glib, which must be locked.
func openGLib() error {
	if glib.loops != nil {
		return nil
	}
	library, err := purego.Dlopen(glibName, purego.RTLD_NOW|noLoad)
	if err != nil {
		return fmt.Errorf("%w; %s is not in the process: load the toolkit before Attach", ErrNoLoop,
			glibName)
	}
	err = find(library, map[string]*cFunction{
		"g_main_context_get_thread_default": &glib.threadDefault,
		"g_main_context_default":            &glib.standard,
		"g_main_context_acquire":            &glib.acquire,
		"g_main_context_release":            &glib.release,
		"g_source_new":                      &glib.create,
		"g_source_attach":                   &glib.attach,
		"g_source_destroy":                  &glib.destroy,
		"g_source_unref":                    &glib.unref,
		"g_source_set_priority":             &glib.setPriority,
		"g_source_set_can_recurse":          &glib.setCanRecurse,
		"g_source_set_ready_time":           &glib.setReadyTime,
	})
	if err != nil {
		return err
	}
	glib.functions[2] = purego.NewCallback(dispatch)
	glib.loops = map[uintptr]*glibLoop{}
	return nil
}

// A glibLoop is a source of a context. GLib calls it only when it is ready, which is a time: now
// from wake on, and never after dispatch.
//
//	wake      woken = true; ready now
//	dispatch  woken = false; serve; if !woken { ready never; if woken { ready now } }
//
// So a wake-up that comes too late for serve is not lost, whichever of the two sets the time last.
// While dispatch serves, the source remains ready, so that an event loop that a function runs
// begins with a dispatch: what is queued behind the function was announced before it.
type glibLoop struct {
	serve func(rest func())
	woken atomic.Bool

	mu     sync.Mutex // keeps the source from being freed
	source uintptr    // zero after detach
	at     [2]uintptr // arguments of setReadyTime
}

func attach(serve func(rest func())) (loop, error) {
	glib.Lock()
	defer glib.Unlock()
	if err := openGLib(); err != nil {
		return nil, err
	}
	context := glib.threadDefault.call()
	if context == 0 {
		context = glib.standard.call()
	}
	if int32(glib.acquire.call(context)) == 0 {
		return nil, fmt.Errorf("%w; another thread runs GLib's main context: make one, and call "+
			"g_main_context_push_thread_default before Attach", ErrNoLoop)
	}
	glib.release.call(context)
	l := &glibLoop{serve: serve}
	l.source = glib.create.call(uintptr(unsafe.Pointer(&glib.functions)), sourceSize)
	glib.loops[l.source] = l
	glib.setPriority.call(l.source, GLibPriority)
	glib.setCanRecurse.call(l.source, 1)
	glib.attach.call(l.source, context)
	return l, nil
}

// dispatch is called by GLib when a source is ready, on the thread that runs its context.
func dispatch(source, _, _ uintptr) uintptr {
	glib.Lock()
	l := glib.loops[source]
	glib.Unlock()
	l.woken.Store(false)
	l.serve(nil)
	if !l.woken.Load() {
		l.ready(never)
		if l.woken.Load() {
			l.ready(0)
		}
	}
	return 1 // G_SOURCE_CONTINUE
}

func (l *glibLoop) wake() {
	l.woken.Store(true)
	l.ready(0)
}

// ready sets the time from which the source is ready.
func (l *glibLoop) ready(time uintptr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.source != 0 {
		l.at = [...]uintptr{l.source, time}
		glib.setReadyTime.call(l.at[:]...)
	}
}

func (l *glibLoop) detach() {
	l.mu.Lock()
	defer l.mu.Unlock()
	glib.Lock()
	delete(glib.loops, l.source)
	glib.Unlock()
	glib.destroy.call(l.source)
	glib.unref.call(l.source)
	l.source = 0
}
