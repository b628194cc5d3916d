package freelist

import (
	"runtime"
	"sync"
	"unsafe"
)

// keepBytes is how much memory a shrinking list keeps of objects that are not in use, or one object
// if that is larger.
const keepBytes = 64 << 10

// NewShrinking returns a list that gives objects back to the garbage collector when they have not
// been needed for a while: after each collection, half of those that have been in the list ever
// since the collection before. It keeps about 64 kB. Nothing but its user keeps the list, once it
// has shrunk.
func NewShrinking[T any]() *List[T] {
	var object T
	return &List[T]{floor: max(1, min(minCells, keepBytes/int64(max(1, unsafe.Sizeof(object)))))}
}

// large has the armed lists, which the next collection is to shrink.
var large struct {
	mu    sync.Mutex
	lists []interface{ collected() }
}

// arm has collected called after the next collection, unless it will be already: that finds an
// object which nothing refers to.
func (l *List[T]) arm() {
	if !l.armed.CompareAndSwap(false, true) {
		return
	}
	large.mu.Lock()
	defer large.mu.Unlock()
	if large.lists = append(large.lists, l); len(large.lists) == 1 {
		runtime.AddCleanup(new([2]*byte), shrinkAll, 0)
	}
}

func shrinkAll(int) {
	large.mu.Lock()
	lists := large.lists
	large.lists = nil
	large.mu.Unlock()
	for _, l := range lists {
		l.collected()
	}
}

// collected shrinks the list, and arms it again if more can be dropped.
func (l *List[T]) collected() {
	if l.armed.Store(false); l.shrink() {
		l.arm()
	}
}

// shrink drops half of the objects that have been in the list since the call before, and room for
// them. It reports whether more can be dropped.
func (l *List[T]) shrink() (more bool) {
	r := l.ring.Load()
	if r == nil {
		return false
	}
	for n := min((l.unused.Load()+1)/2, r.len()-l.floor); n > 0; n-- {
		r.take()
	}
	if r.sparse() {
		r = l.replace(r, len(r.cells)/2)
	}
	l.unused.Store(r.len())
	return r.len() > l.floor || r.sparse()
}

// sparse reports whether half of the ring leaves room enough.
func (r *ring[T]) sparse() bool {
	return len(r.cells) > minCells && r.len() <= int64(len(r.cells)/4)
}

// replace moves the objects to a ring of another size and returns the list's ring. A goroutine that
// still uses the old ring loses some of them to the collector.
func (l *List[T]) replace(old *ring[T], cells int) *ring[T] {
	r := &ring[T]{cells: make([]cell[T], cells)} //threadcall:alloc when more are in use than ever
	if l.ring.CompareAndSwap(old, r) {
		for o := old.take(); o != nil; o = old.take() {
			r.add(o)
		}
	}
	return l.ring.Load()
}
