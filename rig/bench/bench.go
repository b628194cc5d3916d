// Package bench loads a thread in the ways that programs do, next to what package compare has. Its
// benchmarks compare them under every load:
//
//	go test -bench . ./rig/bench     each subject by itself, in the usual form
//	go run ./rig/bench/phases        phases that follow one another in one process
//	go run ./rig/plots FILE          a table of how the subjects compare
//	make bench                       all three
//
// Only ratios from one run mean much: on a machine with other work, times of the same code minutes
// apart differ by a factor of two and more.
package bench

import (
	"context"
	"runtime"
	"slices"

	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/thread"
)

// nop is what is called: a call's cost is all that is measured.
func nop() {}

// A way is one to have functions run on a thread, or on several that callers share.
type way struct {
	name string
	open func() (s compare.Subject, end func())
	// share makes so many threads, and returns what each of so many callers calls; nil unless it is
	// for that
	share func(threads, callers int) (s []compare.Subject, end func())
}

var (
	onMain = way{name: "threadcall", open: func() (compare.Subject, func()) {
		return compare.MainThread, nop
	}}
	onThread = way{name: "thread", open: func() (compare.Subject, func()) {
		t := thread.New()
		return t, t.Terminate
	}}
	reference = way{name: "reference", open: func() (compare.Subject, func()) {
		d := compare.Struct()
		return d, compare.OnThread(d)
	}}
	spinning = way{name: "spinning", open: func() (compare.Subject, func()) { return compare.Spin() }}

	inPool = way{name: "thread", share: func(threads, callers int) ([]compare.Subject, func()) {
		return shared(pool(threads)[0], callers)
	}}
	oneChannel = way{name: "reference", share: func(threads, callers int) ([]compare.Subject, func()) {
		return shared(pool(threads)[1], callers)
	}}
	byKey = way{name: "keyed", share: func(threads, callers int) ([]compare.Subject, func()) {
		k, keys := keyed.New[int](nil), []compare.Subject{}
		for i := range threads {
			keys = append(keys, key{k, i})
		}
		return inTurns(keys, callers), k.Close
	}}
	channels = way{name: "channels", share: func(threads, callers int) ([]compare.Subject, func()) {
		keys, stops := []compare.Subject{}, []func(){}
		for range threads {
			s, stop := reference.open()
			keys, stops = append(keys, s), append(stops, stop)
		}
		return inTurns(keys, callers), all(stops)
	}}
)

// inTurns returns for each of so many callers the keys in turn, each caller from another on.
func inTurns(keys []compare.Subject, callers int) (s []compare.Subject) {
	for i := range callers {
		s = append(s, &inTurn{keys, i})
	}
	return s
}

func all(stops []func()) func() {
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

func shared(w way, callers int) ([]compare.Subject, func()) {
	s, end := w.open()
	return slices.Repeat([]compare.Subject{s}, callers), end
}

// pool returns two ways to have so many threads share the work.
func pool(threads int) []way {
	return []way{
		{name: "thread", open: func() (compare.Subject, func()) {
			p := thread.NewPool(threads)
			return p, p.Terminate
		}},
		{name: "reference", open: func() (compare.Subject, func()) {
			d := compare.Struct()
			var stops []func()
			for range threads {
				stops = append(stops, compare.OnThread(d))
			}
			return d, all(stops)
		}},
	}
}

// A key is the thread of one.
type key struct {
	*keyed.Threads[int]
	key int
}

func (k key) Call(f func()) bool {
	return k.Threads.Call(context.Background(), k.key, func() error { f(); return nil }) == nil
}

func (k key) Go(f func()) bool { panic("not used") }

// A buffer is what programs use for posts: a channel of functions with so many places, to a locked
// goroutine.
type buffer chan func()

func buffered(name string, places int) way {
	return way{name: name, open: func() (compare.Subject, func()) {
		b := make(buffer, places)
		go func() {
			runtime.LockOSThread()
			for f := range b {
				f()
			}
		}()
		return b, func() { close(b) }
	}}
}

func (b buffer) Call(f func()) bool {
	done := make(chan bool)
	b <- func() { f(); done <- true }
	return <-done
}

func (b buffer) Go(f func()) bool {
	b <- f
	return true
}
