package freelist

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// keepBytes is how much memory a shrinking list keeps of objects that are not in use, or one object if that is larger.
const keepBytes = 64 << 10

// NewShrinking returns a list that gives objects back to the garbage collector when they have not been needed for a
// while: after each collection, half of those that have been in the list ever since the collection before. It keeps
// about 64 kB. The list itself is kept for ever.
func NewShrinking[T any]() *List[T] {
	var object T
	l := &List[T]{floor: max(1, min(minCells, keepBytes/int64(max(1, unsafe.Sizeof(object)))))}
	shrinking.mu.Lock()
	shrinking.lists = append(shrinking.lists, l)
	shrinking.mu.Unlock()
	return l
}

// shrinking has all such lists. It is armed while a collection will be noticed.
var shrinking struct {
	armed atomic.Bool
	mu    sync.Mutex
	lists []interface{ shrink() (more bool) }
}

// arm has shrink called after the next collection, unless it will be already: that finds an object which nothing refers
// to.
func arm() {
	if shrinking.armed.CompareAndSwap(false, true) {
		runtime.AddCleanup(new([2]*byte), shrinkAll, 0)
	}
}

func shrinkAll(int) {
	shrinking.mu.Lock()
	lists := slices.Clone(shrinking.lists)
	shrinking.mu.Unlock()
	shrinking.armed.Store(false)
	for _, l := range lists {
		if l.shrink() {
			arm()
		}
	}
}

// shrink drops objects, and room for them, and reports whether more can be dropped.
func (l *List[T]) shrink() (more bool) {
	r := l.ring.Load()
	if r == nil {
		return false
	}
	for n := min((l.unused.Load()+1)/2, r.len()-l.floor); n > 0; n-- {
		r.take()
	}
	if n := len(r.cells) / 2; n >= minCells && r.len() <= int64(n/2) {
		r = l.replace(r, n)
	}
	l.unused.Store(r.len())
	return r.len() > l.floor || len(r.cells) > minCells
}

// replace moves the objects to a ring of another size and returns the list's ring. A goroutine that still uses the old
// ring loses some of them to the collector.
func (l *List[T]) replace(old *ring[T], cells int) *ring[T] {
	r := &ring[T]{cells: make([]cell[T], cells)} //threadcall:alloc when more objects are in use than ever
	if l.ring.CompareAndSwap(old, r) {
		for o := old.take(); o != nil; o = old.take() {
			r.add(o)
		}
	}
	return l.ring.Load()
}
