package demo

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// timeout is how long an experiment may take: a thousand times what the slowest needs.
const timeout = 10 * time.Second

// A fact is a claim, what was expected of it, and what was seen.
type fact struct {
	claim, expected, seen string

	ok   bool // they are the same
	hung bool // nothing was seen, and later experiments would hang as well
}

// An experiment sets expected and seen of a fact.
type experiment struct {
	claim string
	do    func(f *fact)
}

// perform does the experiments one after the other. One that does not end within timeout is a wrong
// fact, and the last: those after it would wait for the same thread.
func perform(experiments []experiment, timeout time.Duration) iter.Seq[fact] {
	return func(yield func(fact) bool) {
		for _, e := range experiments {
			f := fact{claim: e.claim, expected: "an answer", seen: "the end of the goroutine that asked"}
			result, first := make(chan fact, 1), f
			go func() {
				f := first
				defer func() { result <- f }() // also if the experiment calls Goexit
				e.do(&f)
				f.ok = f.expected == f.seen
			}()
			select {
			case f = <-result:
			case <-time.After(timeout):
				f.seen, f.hung = fmt.Sprintf("none in %v", timeout), true
			}
			if !yield(f) || f.hung {
				return
			}
		}
	}
}

var experiments = []experiment{
	{"the main thread is the one that the process began on", first},
	{fmt.Sprintf("calls from %d goroutines all run on the main thread", callers), calls},
	{"a call made on the main thread runs in place", nested},
	{"threads that call each other in a cycle do not deadlock", cycle},
	{"a panic reaches the caller as the value it was, and the thread goes on", panics},
	{"Goexit ends the caller's goroutine, and the thread goes on", exits},
	{"Error returns a panic in Go, and errors.As finds it there", leaves},
}

// here calls the main thread and names the thread that answers.
func here() string {
	on := "nowhere"
	mainthread.Call(func() { on = osthread.Here() })
	return on
}

func first(f *fact) {
	f.expected = "a call runs on thread " + osthread.Main()
	if runtime.GOOS == "linux" { // where the number of the process is that of its main thread
		f.expected = "a call runs on thread " + strconv.Itoa(os.Getpid())
	}
	f.seen = "a call runs on thread " + here()
}

func nested(f *fact) {
	var trace []string
	note := func(what string) { trace = append(trace, what+osthread.Here()) }
	mainthread.Call(func() {
		note("outer begins on ")
		mainthread.Call(func() { note("inner runs on ") })
		note("outer ends on ")
	})
	f.expected = fmt.Sprintf("outer begins on %[1]s, inner runs on %[1]s, outer ends on %[1]s",
		osthread.Main())
	f.seen = strings.Join(trace, ", ")
}

func cycle(f *fact) {
	t := thread.New(thread.WithName("demo"))
	defer t.Terminate()
	second := thread.Eval(t, osthread.Here)
	trace := ""
	note := func(how string) { trace += how + osthread.Here() }
	mainthread.Call(func() {
		note("")
		t.Call(func() {
			note(" calls ")
			mainthread.Call(func() { note(" calls ") })
			note(", back to ")
		})
		note(", back to ")
	})
	f.expected = fmt.Sprintf("%[1]s calls %[2]s calls %[1]s, back to %[2]s, back to %[1]s",
		osthread.Main(), second)
	f.seen = trace
}

// A PanicValue is what the experiments panic with.
type PanicValue struct{ n int }

func (v *PanicValue) Error() string { return fmt.Sprint("panic ", v.n) }

func panics(f *fact) {
	thrown := &PanicValue{1}
	caught := func() (v any) {
		defer func() { v = recover() }()
		mainthread.Call(func() { panic(thrown) })
		return nil
	}()
	const sentence = "%T at %p, the next call on %s"
	f.expected = fmt.Sprintf(sentence, thrown, thrown, osthread.Main())
	f.seen = fmt.Sprintf(sentence, caught, caught, here())
}

func exits(f *fact) {
	on, end := "nowhere", "panic of the caller"
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			switch {
			case returned:
				end = "return of Call"
			case recover() == nil:
				end = "end of the caller"
			}
		}()
		mainthread.Call(func() {
			on = osthread.Here()
			runtime.Goexit()
		})
		returned = true
	}()
	<-done
	const sentence = "Goexit on %s, %s, the next call on %s"
	f.expected = fmt.Sprintf(sentence, osthread.Main(), "end of the caller", osthread.Main())
	f.seen = fmt.Sprintf(sentence, on, end, here())
}

func leaves(f *fact) {
	thrown := &PanicValue{1}
	mainthread.Go(func() { panic(thrown) })
	mainthread.Call(func() {}) // comes after it
	var found *PanicValue
	//lint:ignore SA1019 it is what the libraries have that mainthread can stand in for
	first, second := mainthread.Error(), mainthread.Error()
	errors.As(first, &found)
	const sentence = "%T at %p, then %v"
	f.expected = fmt.Sprintf(sentence, thrown, thrown, error(nil))
	f.seen = fmt.Sprintf(sentence, found, found, second)
}

// callers is how many goroutines call at the same time. So that calls certainly come from several
// threads, every eighth has a thread of its own; the others are where the scheduler puts them.
const callers = 64

func calls(f *fact) {
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
				if osthread.Here() == osthread.Main() {
					onMain.Add(1)
				}
			})
		})
	}
	ready.Wait()
	close(start)
	ended.Wait()
	const sentence = "%d on thread %s, %d elsewhere"
	f.expected = fmt.Sprintf(sentence, callers, osthread.Main(), 0)
	f.seen = fmt.Sprintf(sentence, onMain.Load(), osthread.Main(), callers-onMain.Load())
}
