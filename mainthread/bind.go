package mainthread

import "github.com/threadcall/threadcall/thread"

// Bind0 is [Bind2], for a function without arguments.
func Bind0(f func()) func() { return thread.Bind0(main, f) }

// Bind1 is [Bind2], for a function with one argument.
func Bind1[A any](f func(A)) func(A) { return thread.Bind1(main, f) }

// Bind2 returns a function that runs f, which has two arguments, on the main thread and returns after it:
//
//	var setTitle = mainthread.Bind2((*glfw.Window).SetTitle) // a func(*glfw.Window, string) for any goroutine
//
// [thread.Bind2] has what is promised. Bind panics if f is nil.
func Bind2[A, B any](f func(A, B)) func(A, B) { return thread.Bind2(main, f) }

// Bind3 is [Bind2], for a function with three arguments.
func Bind3[A, B, C any](f func(A, B, C)) func(A, B, C) { return thread.Bind3(main, f) }

// Bind0V is [Bind2], for a function with a result and no arguments.
func Bind0V[R any](f func() R) func() R { return thread.Bind0V(main, f) }

// Bind1V is [Bind2], for a function with one argument and a result.
func Bind1V[A, R any](f func(A) R) func(A) R { return thread.Bind1V(main, f) }

// Bind2V is [Bind2], for a function with two arguments and a result.
func Bind2V[A, B, R any](f func(A, B) R) func(A, B) R { return thread.Bind2V(main, f) }

// Bind3V is [Bind2], for a function with three arguments and a result.
func Bind3V[A, B, C, R any](f func(A, B, C) R) func(A, B, C) R { return thread.Bind3V(main, f) }

// Bind0V2 is [Bind2], for a function with two results and no arguments.
func Bind0V2[R, S any](f func() (R, S)) func() (R, S) { return thread.Bind0V2(main, f) }

// Bind1V2 is [Bind2], for a function with one argument and two results.
func Bind1V2[A, R, S any](f func(A) (R, S)) func(A) (R, S) { return thread.Bind1V2(main, f) }

// Bind2V2 is [Bind2], for a function with two arguments and two results.
func Bind2V2[A, B, R, S any](f func(A, B) (R, S)) func(A, B) (R, S) { return thread.Bind2V2(main, f) }

// Bind3V2 is [Bind2], for a function with three arguments and two results.
func Bind3V2[A, B, C, R, S any](f func(A, B, C) (R, S)) func(A, B, C) (R, S) {
	return thread.Bind3V2(main, f)
}
