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

// slotOf returns the slot of m, or the unused slot that ends the search.
func slotOf[T any](slots []slot[T], m uintptr) *slot[T] {
	mask := len(slots) - 1
	// the digits of the golden ratio: they scatter addresses at equal distances
	for i := int(uint64(m) * 0x9E3779B97F4A7C15 >> 33); ; i++ {
		s := &slots[i&mask]
		if other := s.m.Load(); other == m || other == 0 {
			return s
		}
	}
}

// Find returns the value of m, or nil.
//
//threadcall:noalloc
func (t *Table[T]) Find(m uintptr) *T {
	if slots := t.slots.Load(); slots != nil {
		return slotOf(*slots, m).x.Load()
	}
	return nil
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
	for _, old := range values {
		s := slotOf(slots, old.m.Load())
		s.x.Store(old.x.Load())
		s.m.Store(old.m.Load())
	}
	t.slots.Store(&slots)
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
