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
	"sync"

	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/thread"
)

// nop is what is called: a call's cost is all that is measured.
func nop() {}

// A way is one to have functions run on a thread, or on several. open makes so many, if there can
// be so many, and returns what callers call: each of them, or what they share.
type way struct {
	name string
	open func(threads int) (all []compare.Subject, end func())
}

var (
	onMain = way{"threadcall", func(int) ([]compare.Subject, func()) {
		return []compare.Subject{compare.MainThread}, nop
	}}
	onThread = alone("thread", func() (compare.Subject, func()) {
		t := thread.New()
		return t, t.Terminate
	})
	reference = alone("reference", func() (compare.Subject, func()) {
		d := compare.Struct()
		return d, compare.OnThread(d)
	})
	spinning = way{"spinning", func(int) ([]compare.Subject, func()) {
		s, end := compare.Spin()
		return []compare.Subject{s}, end
	}}

	inPool = way{"thread", func(threads int) ([]compare.Subject, func()) {
		p := thread.NewPool(threads)
		return []compare.Subject{p}, p.Terminate
	}}
	oneChannel = way{"reference", func(threads int) ([]compare.Subject, func()) {
		d := compare.Struct()
		served := alone("", func() (compare.Subject, func()) { return d, compare.OnThread(d) })
		_, end := served.open(threads)
		return []compare.Subject{d}, end
	}}
	byKey = way{"keyed", func(threads int) (all []compare.Subject, end func()) {
		k := keyed.New[int](nil)
		for i := range threads {
			all = append(all, &key{Threads: k, key: i})
		}
		return all, k.Close
	}}
	channels = way{"channels", reference.open}
)

// alone is the way to have threads of which each is made alone.
func alone(name string, open func() (s compare.Subject, end func())) way {
	return way{name, func(threads int) ([]compare.Subject, func()) {
		all, ends := make([]compare.Subject, threads), make([]func(), threads)
		for i := range all {
			all[i], ends[i] = open()
		}
		return all, func() {
			for _, end := range ends {
				end()
			}
		}
	}}
}

// A key is the thread of one. All functions that it is given do the same, so it calls the first: a
// closure for each call would be a cost that the channel does not have.
type key struct {
	*keyed.Threads[int]
	key  int
	once sync.Once
	f    func() error
}

func (k *key) Call(f func()) bool {
	k.once.Do(func() { k.f = func() error { f(); return nil } })
	return k.Threads.Call(context.Background(), k.key, k.f) == nil
}

func (k *key) Go(f func()) bool { panic("not used") }

// A buffer is what programs use for posts: a channel of functions with so many places, to a locked
// goroutine.
type buffer chan func()

func buffered(name string, places int) way {
	return alone(name, func() (compare.Subject, func()) {
		b := make(buffer, places)
		go func() {
			runtime.LockOSThread()
			for f := range b {
				f()
			}
		}()
		return b, func() { close(b) }
	})
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
