package freelist

import (
	"runtime"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/ident"
)

// A Near keeps an object for each of some threads of the system, for goroutines that put in what
// they have taken out. So the object is in the cache of their core as a rule, and they do not
// contend. Any goroutine may call Get and Put; the zero value is empty.
//
// A thread has the place that a hash of its identity gives it. Two may have the same place, and a
// goroutine may put in on another thread than it has taken out on: that costs time and nothing
// else.
type Near[T any] struct {
	places atomic.Pointer[[]nearPlace[T]]
}

// A nearPlace has a cache line of its own.
type nearPlace[T any] struct {
	object atomic.Pointer[T]
	_      [56]byte
}

// Get takes an object out, or returns nil.
//
//threadcall:noalloc
func (n *Near[T]) Get() *T {
	places := n.places.Load()
	if places == nil {
		return nil
	}
	p := place(*places)
	if object := p.Load(); object != nil && p.CompareAndSwap(object, nil) {
		return object
	}
	return nil
}

// Put puts an object in. It is false if there is no room.
//
//threadcall:noalloc
func (n *Near[T]) Put(object *T) bool {
	places := n.places.Load()
	if places == nil {
		places = n.make() //threadcall:alloc the first time
	}
	p := place(*places)
	return p.Load() == nil && p.CompareAndSwap(nil, object)
}

// make makes four places for each P: besides the threads that run, some wait.
func (n *Near[T]) make() *[]nearPlace[T] {
	size := 1
	for size < 4*runtime.GOMAXPROCS(0) && size < minCells {
		size *= 2
	}
	places := make([]nearPlace[T], size)
	n.places.CompareAndSwap(nil, &places)
	return n.places.Load()
}

// place returns the caller's place. Addresses of the runtime's m differ in the middle bits.
//
//threadcall:noalloc
func place[T any](places []nearPlace[T]) *atomic.Pointer[T] {
	hash := uint64(ident.ReadM()) * 0x9e3779b97f4a7c15 // Fibonacci hashing (Knuth, TAOCP 6.4)
	return &places[hash>>32&uint64(len(places)-1)].object
}
