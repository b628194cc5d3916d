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
	current, add, wakeUp       cFunction // of run loops
	create, signal, invalidate cFunction // of sources
	keep, free                 cFunction // of both
	run                        func(mode uintptr, seconds float64, returnAfterSource bool) int32
	mode, commonModes          uintptr // the default mode is also NSDefaultRunLoopMode
	onMain                     cFunction
	context                    [10]uintptr          // a CFRunLoopSourceContext
	loops                      map[uintptr]*runLoop // by their number
	made                       uintptr
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
	var mode, commonModes cFunction
	err = find(library, map[string]*cFunction{
		"CFRunLoopGetCurrent":       &cf.current,
		"CFRunLoopAddSource":        &cf.add,
		"CFRunLoopWakeUp":           &cf.wakeUp,
		"CFRunLoopSourceCreate":     &cf.create,
		"CFRunLoopSourceSignal":     &cf.signal,
		"CFRunLoopSourceInvalidate": &cf.invalidate,
		"CFRetain":                  &cf.keep,
		"CFRelease":                 &cf.free,
		"kCFRunLoopDefaultMode":     &mode,
		"kCFRunLoopCommonModes":     &commonModes,
	})
	if err == nil {
		err = find(purego.RTLD_DEFAULT, map[string]*cFunction{"pthread_main_np": &cf.onMain})
	}
	if err != nil {
		return err
	}
	cf.mode, cf.commonModes = mode.value(), commonModes.value()
	purego.RegisterLibFunc(&cf.run, library, "CFRunLoopRunInMode")
	cf.context[contextPerform] = purego.NewCallback(perform)
	cf.loops = map[uintptr]*runLoop{}
	return nil
}

// A runLoop is a source of a run loop in the common modes. The run loop takes the signal from the
// source before it performs it, so a wake-up that comes while perform serves is not lost.
type runLoop struct {
	serve  func(rest func())
	number uintptr
	loop   uintptr

	mu     sync.Mutex // keeps the source from being freed
	source uintptr    // signaled by wake; zero after detach
}

func attach(serve func(rest func())) (native, error) {
	cf.Lock()
	defer cf.Unlock()
	if err := openCF(); err != nil {
		return nil, err
	}
	cf.made++
	cf.context[contextInfo] = cf.made
	l := &runLoop{serve: serve, number: cf.made, loop: cf.current.call()}
	cf.keep.call(l.loop) // wake may come after the end of its thread
	l.source = cf.create.call(0, 0, uintptr(unsafe.Pointer(&cf.context)))
	cf.loops[l.number] = l
	cf.add.call(l.loop, l.source, cf.commonModes)
	return l, nil
}

// perform is called by a run loop for a source that is signaled. When serve is about to run several
// functions, it calls wake first, and an event loop that one of them runs begins with a perform.
func perform(number uintptr) {
	cf.Lock()
	l := cf.loops[number]
	cf.Unlock()
	if l != nil { // or detached since the run loop has taken the signal
		l.serve(l.wake)
	}
}

func (l *runLoop) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.source != 0 {
		cf.signal.call(l.source)
		cf.wakeUp.call(l.loop)
	}
}

func (l *runLoop) here() bool { return cf.current.call() == l.loop }

func (l *runLoop) detach() {
	cf.Lock()
	delete(cf.loops, l.number)
	cf.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	cf.invalidate.call(l.source) // takes it out of the loop
	cf.free.call(l.source)
	cf.free.call(l.loop)
	l.source = 0
}
