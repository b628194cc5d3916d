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
	library
	process library // pthread_main_np
	run     func(mode uintptr, seconds float64, returnAfterSource bool) int32
	context [10]uintptr          // a CFRunLoopSourceContext
	loops   map[uintptr]*runLoop // by their number
	made    uintptr
}

const contextInfo, contextPerform = 1, 9 // in cf.context

// openCF fills cf, which must be locked.
func openCF() error {
	if cf.loops != nil {
		return nil
	}
	opened, err := purego.Dlopen(framework, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("%w; %w", ErrNoLoop, err)
	}
	if cf.library, err = find(opened, "CFRunLoopGetCurrent", "CFRunLoopAddSource", "CFRunLoopWakeUp",
		"CFRunLoopSourceCreate", "CFRunLoopSourceSignal", "CFRunLoopSourceInvalidate", "CFRetain",
		"CFRelease", "kCFRunLoopDefaultMode", "kCFRunLoopCommonModes"); err != nil {
		return err
	}
	if cf.process, err = find(purego.RTLD_DEFAULT, "pthread_main_np"); err != nil {
		return err
	}
	purego.RegisterLibFunc(&cf.run, opened, "CFRunLoopRunInMode")
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
	l := &runLoop{serve: serve, number: cf.made, loop: cf.call("CFRunLoopGetCurrent")}
	cf.call("CFRetain", l.loop) // wake may come after the end of its thread
	l.source = cf.call("CFRunLoopSourceCreate", 0, 0, uintptr(unsafe.Pointer(&cf.context)))
	cf.loops[l.number] = l
	cf.call("CFRunLoopAddSource", l.loop, l.source, cf.value("kCFRunLoopCommonModes"))
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
		cf.call("CFRunLoopSourceSignal", l.source)
		cf.call("CFRunLoopWakeUp", l.loop)
	}
}

func (l *runLoop) here() bool { return cf.call("CFRunLoopGetCurrent") == l.loop }

func (l *runLoop) detach() {
	cf.Lock()
	delete(cf.loops, l.number)
	cf.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	cf.call("CFRunLoopSourceInvalidate", l.source) // takes it out of the loop
	cf.call("CFRelease", l.source)
	cf.call("CFRelease", l.loop)
	l.source = 0
}
