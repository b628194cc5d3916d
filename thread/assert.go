package thread

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
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
//	Write t.Call(func() { draw() })
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
	pcs := make([]uintptr, 16)
	asserting := stack.CallerOf(pcs[:runtime.Callers(1, pcs)])
	name := strings.ReplaceAll(asserting.Function, "[...]", "")
	what := fmt.Sprintf("thread: %s (%s:%d) must run on %v",
		strings.TrimPrefix(path.Base(name), "main."), filepath.Base(asserting.File), asserting.Line, t.e)
	where := goroutine()
	if e := engine.Self(); e != nil {
		where = e.String()
	}
	if t.e.Terminated() {
		return fmt.Errorf("%s, which has been terminated;\nit runs on %s: %w", what, where, ErrTerminated)
	}
	call := "t.Call"
	if t.e.Main {
		call = "mainthread.Call"
	}
	return fmt.Errorf("%s;\nit runs on %s.\nWrite %s(func() { %s })", what, where, call,
		statement(name))
}

// statement is a call of a function without what it is given.
func statement(function string) string {
	if strings.Contains(function, ".func") { // a function literal
		return "..."
	}
	return function[strings.LastIndexByte(function, '.')+1:] + "()"
}

// goroutine says which goroutine the caller is, and where and by what it was started.
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
	return fmt.Sprintf("goroutine %s, started at %s by %s", number,
		filepath.Base(strings.TrimSpace(file)), path.Base(by))
}
