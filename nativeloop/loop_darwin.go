//go:build !ios

package nativeloop

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

const framework = "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation"

// cf has what is in the process once. Purego never frees a callback, so all loops share one.
var cf struct {
	sync.Mutex
	current, add, remove, wakeUp     cFunction // of run loops
	create, signal, invalidate, free cFunction // of sources
	commonModes                      uintptr
	context                          [10]uintptr          // a CFRunLoopSourceContext
	loops                            map[uintptr]*runLoop // by their number
	made                             uintptr
}

const contextInfo, contextPerform = 1, 9 // in cf.context

// openCF fills cf, which must be locked.
func openCF() error {
	if cf.loops != nil {
		return nil
	}
	library, err := purego.Dlopen(framework, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("%w; %w", ErrNoLoop, err)
	}
	var modes cFunction
	err = find(library, map[string]*cFunction{
		"CFRunLoopGetCurrent":       &cf.current,
		"CFRunLoopAddSource":        &cf.add,
		"CFRunLoopRemoveSource":     &cf.remove,
		"CFRunLoopWakeUp":           &cf.wakeUp,
		"CFRunLoopSourceCreate":     &cf.create,
		"CFRunLoopSourceSignal":     &cf.signal,
		"CFRunLoopSourceInvalidate": &cf.invalidate,
		"CFRelease":                 &cf.free,
		"kCFRunLoopCommonModes":     &modes,
	})
	if err != nil {
		return err
	}
	cf.commonModes = **(**uintptr)(unsafe.Pointer(&modes))
	cf.context[contextPerform] = purego.NewCallback(perform)
	cf.loops = map[uintptr]*runLoop{}
	return nil
}

// A runLoop is two sources of a run loop in the common modes. The run loop takes the signal from a
// source before it performs it, so a wake-up that comes while perform serves is not lost.
type runLoop struct {
	serve  func(rest func())
	number uintptr
	loop   uintptr

	mu     sync.Mutex // keeps the sources from being freed
	source uintptr    // signaled by wake; zero after detach

	// nested is in the loop, and signaled, while perform serves. An event loop that a function runs
	// performs it at once: what is queued behind the function was announced before it.
	nested uintptr
}

func attach(serve func(rest func())) (loop, error) {
	cf.Lock()
	defer cf.Unlock()
	if err := openCF(); err != nil {
		return nil, err
	}
	cf.made++
	cf.context[contextInfo] = cf.made
	context := uintptr(unsafe.Pointer(&cf.context))
	l := &runLoop{serve: serve, number: cf.made, loop: cf.current.call()}
	l.source = cf.create.call(0, 0, context)
	l.nested = cf.create.call(0, 0, context)
	cf.loops[l.number] = l
	cf.add.call(l.loop, l.source, cf.commonModes)
	return l, nil
}

// perform is called by a run loop for a source that is signaled.
func perform(number uintptr) {
	cf.Lock()
	l := cf.loops[number]
	cf.Unlock()
	if l == nil { // detached by what the other source has run
		return
	}
	l.attached(func() {
		cf.add.call(l.loop, l.nested, cf.commonModes)
		cf.signal.call(l.nested)
	})
	defer l.attached(func() { cf.remove.call(l.loop, l.nested, cf.commonModes) })
	l.serve(nil)
}

func (l *runLoop) wake() {
	l.attached(func() {
		cf.signal.call(l.source)
		cf.wakeUp.call(l.loop)
	})
}

func (l *runLoop) detach() {
	l.attached(func() {
		cf.Lock()
		delete(cf.loops, l.number)
		cf.Unlock()
		for _, source := range []uintptr{l.source, l.nested} {
			cf.invalidate.call(source) // takes it out of the loop
			cf.free.call(source)
		}
		l.source = 0
	})
}

// attached calls f unless the sources have been freed.
func (l *runLoop) attached(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.source != 0 {
		f()
	}
}
