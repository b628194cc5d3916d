package ident

import (
	"sync"
	"sync/atomic"
)

// A Table has a value for each of some threads, by their M. It is a hash table; lookups take no
// lock. A thread that looks up its own M finds what it has added, whatever other threads add or
// remove at the same time. For an M that is not the caller's, Find may return any value.
type Table[T any] struct {
	_     [64]byte
	seen  atomic.Uint64             // a bit for each m: most lookups find none, and end here
	slots atomic.Pointer[[]slot[T]] // which each call from a thread reads, and few write
	_     [64]byte
	mu    sync.Mutex // held by Add and Remove
	used  int        // slots with an m
}

// A slot is used from when m is set, for ever; without a value, it is left over from one that was
// removed.
type slot[T any] struct {
	m atomic.Uintptr
	x atomic.Pointer[T]
}

const minSlots = 16

// hash has 31 bits: of the product with the digits of the golden ratio, which scatter addresses at
// equal distances.
func hash(m uintptr) uint64 { return uint64(m) * 0x9E3779B97F4A7C15 >> 33 }

// bit is the one of m in Table.seen.
func bit(m uintptr) uint64 { return 1 << (hash(m) >> 25) }

// slotOf returns the slot of m, or the unused slot that ends the search.
func slotOf[T any](slots []slot[T], m uintptr) *slot[T] {
	mask := len(slots) - 1
	for i := int(hash(m)); ; i++ {
		s := &slots[i&mask]
		if other := s.m.Load(); other == m || other == 0 {
			return s
		}
	}
}

// May reports whether m may have a value. It is for those who as a rule find none.
//
//threadcall:noalloc
func (t *Table[T]) May(m uintptr) bool { return t.seen.Load()&bit(m) != 0 }

// Find returns the value of m, or nil.
//
//threadcall:noalloc
func (t *Table[T]) Find(m uintptr) *T {
	if !t.May(m) {
		return nil
	}
	return slotOf(*t.slots.Load(), m).x.Load()
}

// Add makes x the value of m, which is not zero, in place of what that had.
func (t *Table[T]) Add(m uintptr, x *T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slots := t.slots.Load(); slots == nil || 2*(t.used+1) > len(*slots) {
		t.grow()
	}
	s := slotOf(*t.slots.Load(), m)
	if s.m.Load() == 0 {
		t.used++
	}
	s.x.Store(x)
	s.m.Store(m)
	t.seen.Or(bit(m))
}

// grow makes a table with room for twice as many values as there are.
func (t *Table[T]) grow() {
	var values []*slot[T]
	if old := t.slots.Load(); old != nil {
		for i := range *old {
			if s := &(*old)[i]; s.x.Load() != nil {
				values = append(values, s)
			}
		}
	}
	size := minSlots
	for size < 4*(len(values)+1) {
		size *= 2
	}
	slots := make([]slot[T], size)
	t.used = len(values)
	seen := uint64(0)
	for _, old := range values {
		m := old.m.Load()
		s := slotOf(slots, m)
		s.x.Store(old.x.Load())
		s.m.Store(m)
		seen |= bit(m)
	}
	t.slots.Store(&slots)
	t.seen.Store(seen) // all others have been removed
}

// Remove reports whether x, which is not nil, was the value of m. Then m has none.
func (t *Table[T]) Remove(m uintptr, x *T) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x == nil || t.Find(m) != x {
		return false
	}
	slotOf(*t.slots.Load(), m).x.Store(nil)
	return true
}
