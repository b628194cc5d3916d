package demo

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
	"github.com/threadcall/threadcall/thread"
)

// Facts tries the main thread with what a channel to a locked goroutine is known to fail at. The facts come as they are
// found; after one that could not be found there are no more.
func Facts() iter.Seq[Fact] { return perform(experiments(threadcall), patience) }

func experiments(lib library) []experiment {
	return []experiment{
		{"the main thread is the one that the process began on", lib.first},
		{fmt.Sprintf("calls from %d goroutines all run on the main thread", callers), lib.calls},
		{"a call made on the main thread runs in place", lib.nested},
		{"threads that call each other in a circle do not wait for ever", lib.cycle},
		{"a panic reaches the caller as the value it was, and the thread lives on", lib.panics},
		{"Goexit ends the caller's goroutine, and the thread lives on", lib.exits},
		{"Error returns the panic that Go left behind, and errors.As finds it there", lib.leaves},
	}
}

// here calls the main thread and names the thread that answers.
func (lib library) here() string {
	on := "nowhere"
	lib.Call(func() { on = osthread.Here() })
	return on
}

func (lib library) first(f *Fact) {
	f.Expected = "a call runs on thread " + osthread.Main()
	if runtime.GOOS == "linux" { // where the number of the process is that of its main thread
		f.Expected = "a call runs on thread " + strconv.Itoa(os.Getpid())
	}
	f.Seen = "a call runs on thread " + lib.here()
}

func (lib library) nested(f *Fact) {
	var trace []string
	note := func(what string) { trace = append(trace, what+osthread.Here()) }
	lib.Call(func() {
		note("outer begins on ")
		lib.Call(func() { note("inner runs on ") })
		note("outer ends on ")
	})
	f.Expected = fmt.Sprintf("outer begins on %[1]s, inner runs on %[1]s, outer ends on %[1]s", osthread.Main())
	f.Seen = strings.Join(trace, ", ")
}

func (lib library) cycle(f *Fact) {
	t := thread.New(thread.WithName("demo"))
	defer t.Terminate()
	second := thread.Eval(t, osthread.Here)
	trace := ""
	note := func(how string) { trace += how + osthread.Here() }
	lib.Call(func() {
		note("")
		t.Call(func() {
			note(" calls ")
			lib.Call(func() { note(" calls ") })
			note(", back to ")
		})
		note(", back to ")
	})
	f.Expected = fmt.Sprintf("%[1]s calls %[2]s calls %[1]s, back to %[2]s, back to %[1]s", osthread.Main(), second)
	f.Seen = trace
}

// A Mishap is what the experiments panic with.
type Mishap struct{ what string }

func (m *Mishap) Error() string { return m.what }

func (lib library) panics(f *Fact) {
	thrown := &Mishap{"the vase fell"}
	caught := func() (v any) {
		defer func() { v = recover() }()
		lib.Call(func() { panic(thrown) })
		return nil
	}()
	const sentence = "%T at %p, the next call on %s"
	f.Expected = fmt.Sprintf(sentence, thrown, thrown, osthread.Main())
	f.Seen = fmt.Sprintf(sentence, caught, caught, lib.here())
}

func (lib library) exits(f *Fact) {
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
		lib.Call(func() {
			on = osthread.Here()
			runtime.Goexit()
		})
		returned = true
	}()
	<-done
	const sentence = "Goexit on %s, %s, the next call on %s"
	f.Expected = fmt.Sprintf(sentence, osthread.Main(), "end of the caller", osthread.Main())
	f.Seen = fmt.Sprintf(sentence, on, end, lib.here())
}

func (lib library) leaves(f *Fact) {
	thrown := &Mishap{"the cup broke"}
	lib.Go(func() { panic(thrown) })
	lib.Call(func() {}) // comes after it
	var found *Mishap
	errors.As(lib.Error(), &found)
	const sentence = "%T at %p, then %v"
	f.Expected = fmt.Sprintf(sentence, thrown, thrown, error(nil))
	f.Seen = fmt.Sprintf(sentence, found, found, lib.Error())
}
