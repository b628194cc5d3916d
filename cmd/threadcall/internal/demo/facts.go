package demo

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// An experiment shows whether a claim is true: what was expected, and what was seen, are the same.
type experiment struct {
	claim string
	do    func() (expected, seen string)
}

var experiments = []experiment{
	{"the main thread is the one that the process began on", first},
	{fmt.Sprintf("calls from %d goroutines all run on the main thread", callers), calls},
	{"a call made on the main thread runs in place", nested},
	{"threads that call each other in a cycle do not deadlock", cycle},
	{"a panic reaches the caller as the value it was, and the thread goes on", panics},
}

// here calls the main thread and names the thread that answers.
func here() string {
	on := "nowhere"
	mainthread.Call(func() { on = thisThread() })
	return on
}

func first() (expected, seen string) {
	main := mainThread()
	if runtime.GOOS == "linux" { // where the number of the process is that of its main thread
		main = strconv.Itoa(os.Getpid())
	}
	return "a call runs on thread " + main, "a call runs on thread " + here()
}

func nested() (expected, seen string) {
	var trace []string
	note := func(what string) { trace = append(trace, what+thisThread()) }
	mainthread.Call(func() {
		note("outer begins on ")
		mainthread.Call(func() { note("inner runs on ") })
		note("outer ends on ")
	})
	return fmt.Sprintf("outer begins on %[1]s, inner runs on %[1]s, outer ends on %[1]s",
		mainThread()), strings.Join(trace, ", ")
}

func cycle() (expected, seen string) {
	t := thread.New(thread.WithName("demo"))
	defer t.Terminate()
	second := thread.MustEval(t, thisThread)
	trace := ""
	note := func(how string) { trace += how + thisThread() }
	mainthread.Call(func() {
		note("")
		t.Call(func() {
			note(" calls ")
			mainthread.Call(func() { note(" calls ") })
			note(", back to ")
		})
		note(", back to ")
	})
	return fmt.Sprintf("%[1]s calls %[2]s calls %[1]s, back to %[2]s, back to %[1]s",
		mainThread(), second), trace
}

// A PanicValue is what the experiments panic with.
type PanicValue struct{ n int }

func panics() (expected, seen string) {
	thrown := &PanicValue{1}
	caught := func() (v any) {
		defer func() { v = recover() }()
		mainthread.Call(func() { panic(thrown) })
		return nil
	}()
	const sentence = "%T at %p, the next call on %s"
	return fmt.Sprintf(sentence, thrown, thrown, mainThread()),
		fmt.Sprintf(sentence, caught, caught, here())
}

// callers is how many goroutines call at the same time. So that calls certainly come from several
// threads, every eighth has a thread of its own; the others are where the scheduler puts them.
const callers = 64

func calls() (expected, seen string) {
	start := make(chan struct{})
	var ready, ended sync.WaitGroup
	var onMain atomic.Int64
	ready.Add(callers)
	for i := range callers {
		ended.Go(func() {
			if i%8 == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			ready.Done()
			<-start
			mainthread.Call(func() {
				if thisThread() == mainThread() {
					onMain.Add(1)
				}
			})
		})
	}
	ready.Wait()
	close(start)
	ended.Wait()
	const sentence = "%d on thread %s, %d elsewhere"
	return fmt.Sprintf(sentence, callers, mainThread(), 0),
		fmt.Sprintf(sentence, onMain.Load(), mainThread(), callers-onMain.Load())
}

// Package variables are initialised on the main thread, before anything could have moved.
var atStart = ident.Thread()

// thisThread names the thread that the caller is on: by the number that the system shows, or, where
// that cannot be determined without C, by what the library says, as "main" or "other".
func thisThread() string {
	if n := ident.Thread(); n != 0 {
		return strconv.FormatUint(n, 10)
	}
	if mainthread.On() {
		return "main"
	}
	return "other"
}

// mainThread names the thread that the process began on, as thisThread would there.
func mainThread() string {
	if atStart != 0 {
		return strconv.FormatUint(atStart, 10)
	}
	return "main"
}
