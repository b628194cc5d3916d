package thread

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/internal/stack"
)

// Assert panics unless the caller is on the thread, as [Thread.On] reports it. It stands at the
// start of functions that must run there, and takes some nanoseconds:
//
//	func draw() {
//		gl.Assert()
//
// The panic is an error that names the function and the line that called Assert, the thread or
// goroutine on which it runs, where that was started, and what to write instead:
//
//	thread: draw (window.go:41) must run on thread "gl";
//	it runs on goroutine 34, started at main.go:22 by main.main.
//	Write t.Call(func() { draw() }) at main.go:30, in main.run
//
// On a thread that has ended Assert panics, too; the error then is [ErrTerminated] for [errors.Is].
//
//threadcall:noalloc
func (t *Thread) Assert() {
	if !t.e.On() {
		panic(t.misplaced()) //threadcall:alloc when it panics
	}
}

// misplaced returns the error that says how the caller of Assert came to be off the thread.
func (t *Thread) misplaced() error {
	asserting, caller := callers()
	name := strings.ReplaceAll(asserting.Function, "[...]", "")
	what := fmt.Sprintf("thread: %s (%s) must run on %v",
		strings.TrimPrefix(path.Base(name), "main."), place(asserting), t.e)
	where := engine.Current()
	if where == "" {
		where = goroutine()
	}
	if t.e.Terminated() {
		return fmt.Errorf("%s, which has been terminated;\nit runs on %s: %w", what, where, ErrTerminated)
	}
	call := "t.Call"
	if t.e.Permanent() {
		call = "mainthread.Call"
	}
	instead := fmt.Sprintf("%s(func() { %s })", call, statement(name))
	if caller.Function != "" {
		instead += fmt.Sprintf(" at %s, in %s", place(caller), path.Base(caller.Function))
	}
	return fmt.Errorf("%s;\nit runs on %s.\nWrite %s", what, where, instead)
}

// callers returns the function that has called Assert, and the one that has called that, if there
// is one.
func callers() (asserting, caller runtime.Frame) {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for more := true; more && (asserting.Function == "" || stack.Ours(asserting.Function)); {
		asserting, more = frames.Next()
	}
	// such as sync.Once.Do
	for more := true; more && (caller.Function == "" || standard(caller) &&
		!strings.HasPrefix(caller.Function, "runtime.")); {
		caller, more = frames.Next()
	}
	if stack.Ours(caller.Function) || standard(caller) {
		caller = runtime.Frame{} // what has begun the goroutine, or called the function on a thread
	}
	return asserting, caller
}

// standard reports whether a frame is of the standard library, whose files are where those of
// package strings are.
func standard(f runtime.Frame) bool {
	pc := reflect.ValueOf(strings.Cut).Pointer()
	known, _ := runtime.FuncForPC(pc).FileLine(pc)
	return within(strings.TrimSuffix(known, "strings/strings.go"), f)
}

// within is standard for a library in the directory src, which is empty if -trimpath has removed
// it.
func within(src string, f runtime.Frame) bool {
	if src != "" {
		return strings.HasPrefix(f.File, src)
	}
	first, _, _ := strings.Cut(f.Function, "/")
	pkg, _, _ := strings.Cut(first, ".")
	return pkg != "main" && (first == f.Function || !strings.Contains(first, "."))
}

// place is the file and line of a frame, as short as an editor's title.
func place(f runtime.Frame) string { return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line) }

// statement is a call of a function without what it is given.
func statement(function string) string {
	if strings.Contains(function, ".func") { // a function literal
		return "..."
	}
	return function[strings.LastIndexByte(function, '.')+1:] + "()"
}

// goroutine says which goroutine the caller is, and where it was started and by what. Only stack
// traces have that.
func goroutine() string {
	trace := make([]byte, 64<<10) // a trace has at most a hundred functions
	trace = trace[:runtime.Stack(trace, false)]
	number, _, _ := bytes.Cut(bytes.TrimPrefix(trace, []byte("goroutine ")), []byte(" "))
	if string(number) == "1" {
		return "goroutine 1, which runs main.main"
	}
	_, created, found := bytes.Cut(trace, []byte("\ncreated by "))
	if !found {
		return fmt.Sprintf("goroutine %s", number)
	}
	by, file, _ := strings.Cut(string(created), "\n\t")
	by, _, _ = strings.Cut(by, " in goroutine ")
	file, _, _ = strings.Cut(file, " +0x")
	file, _, _ = strings.Cut(file, "\n")
	return fmt.Sprintf("goroutine %s, started at %s by %s", number,
		filepath.Base(strings.TrimSpace(file)), path.Base(by))
}
