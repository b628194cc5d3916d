package mainthread

import "github.com/threadcall/threadcall/thread"

// Coalesce returns a function that posts f to the main thread, where it is queued at most once. See [thread.Thread.Coalesce].
func Coalesce(f func()) (post func() bool) { return main.Coalesce(f) }

// Coalesce1 is [Coalesce] for a function with an argument, of which the latest wins. See [thread.Coalesce1].
func Coalesce1[A any](f func(A)) (post func(A) bool) { return thread.Coalesce1(main, f) }

// Coalesce2 is [Coalesce1] for a function with two arguments.
func Coalesce2[A, B any](f func(A, B)) (post func(A, B) bool) { return thread.Coalesce2(main, f) }
