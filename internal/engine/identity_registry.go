package engine

import (
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/pin"
)

// threads finds the engine that serves a thread.
var threads registry

// A registry is a hash table from a thread's M to its engine. Lookups take no lock. A thread looks
// up itself only, after it has added itself: so it need not see what other threads add or remove at
// the same time. A goroutine on no engine's thread may find any engine, and then sees that it is
// not on its thread.
type registry struct {
	_     [64]byte
	table atomic.Pointer[[]slot] // which each call from a thread reads, and few write
	_     [64]byte
	mu    sync.Mutex // held by add and remove
	used  int        // slots with an m

	// left has, by M, the locks that goroutines still hold although their engine was removed. The
	// locks of a goroutine that ends stay here until its M is used again.
	left map[uintptr]*pin.Pin
}

// A slot is used from when m is set, for ever; without an engine, it is left over from one that was
// removed.
type slot struct {
	m atomic.Uintptr
	e atomic.Pointer[Engine]
}

const minSlots = 16

// find returns the slot of m, or the unused slot that ends the search.
func find(table []slot, m uintptr) *slot {
	mask := len(table) - 1
	// the digits of the golden ratio: they scatter addresses at equal distances
	for i := int(uint64(m) * 0x9E3779B97F4A7C15 >> 33); ; i++ {
		s := &table[i&mask]
		if other := s.m.Load(); other == m || other == 0 {
			return s
		}
	}
}

func (r *registry) add(e *Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if table := r.table.Load(); table == nil || 2*(r.used+1) > len(*table) {
		r.grow()
	}
	m := e.m.Load()
	s := find(*r.table.Load(), m)
	if s.m.Load() == 0 {
		r.used++
	}
	s.e.Store(e)
	s.m.Store(m)
	delete(r.left, m)
}

// grow makes a table with room for twice as many engines as there are.
func (r *registry) grow() {
	var engines []*Engine
	if old := r.table.Load(); old != nil {
		for i := range *old {
			if e := (*old)[i].e.Load(); e != nil {
				engines = append(engines, e)
			}
		}
	}
	size := minSlots
	for size < 4*(len(engines)+1) {
		size *= 2
	}
	table := make([]slot, size)
	r.used = len(engines)
	for _, e := range engines {
		s := find(table, e.m.Load())
		s.e.Store(e)
		s.m.Store(e.m.Load())
	}
	r.table.Store(&table)
}

func (r *registry) remove(e *Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := e.m.Load()
	if table := r.table.Load(); table != nil && m != 0 {
		if s := find(*table, m); s.e.Load() == e {
			if e.pin.Held() {
				if r.left == nil {
					r.left = map[uintptr]*pin.Pin{} //threadcall:alloc the first thread that ends locked
				}
				r.left[m] = e.pin
			}
			s.e.Store(nil)
		}
	}
}

// takeLeft removes and returns what is left of the thread m.
func (r *registry) takeLeft(m uintptr) *pin.Pin {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.left[m]
	delete(r.left, m)
	return p
}

// current returns the engine whose thread the caller is on, or nil.
//
//threadcall:noalloc
func (r *registry) current() *Engine {
	if table := r.table.Load(); table != nil {
		if e := find(*table, ident.M()).e.Load(); e != nil && e.On() {
			return e
		}
	}
	return nil
}
