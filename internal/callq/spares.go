package callq

import (
	"sync"
	"sync/atomic"
)

// slabSize is how many records are made at once.
const slabSize = 32

// spares has the records for which the free list has no room, after a flood of posts, until the
// collector has run twice. Without it, a poster that is faster than the thread for longer than the
// free list suffices allocates 40 to 50 bytes a post, again and again.
//
// Put adds a record to chain, and each slabSize records moves the chain to slabs, from where Get
// takes it. Any goroutine may do either: a record is added by a compare-and-swap, which never reads
// another, and a chain is removed by a swap as a whole, so it has one owner (no ABA).
type spares struct {
	chain atomic.Pointer[Call]
	n     atomic.Uint32 // records that were added to it, or to one before
	slabs sync.Pool     // of chains, by their first *Call
}

// keep takes a record that nothing uses.
func (q *Queue) keep(c *Call) {
	s := q.spares.Load()
	if s == nil {
		q.spares.CompareAndSwap(nil, new(spares)) //threadcall:alloc once
		s = q.spares.Load()
	}
	for {
		h := s.chain.Load()
		c.next.Store(h)
		if s.chain.CompareAndSwap(h, c) {
			break
		}
	}
	if s.n.Add(1)%slabSize == 0 {
		if chain := s.chain.Swap(nil); chain != nil {
			s.slabs.Put(chain) //threadcall:alloc when more are kept than before
		}
	}
}

// spare takes a chain, of which it returns one record and gives the others to the free list, or
// returns nil.
func (q *Queue) spare() *Call {
	s := q.spares.Load()
	if s == nil {
		return nil
	}
	chain, _ := s.slabs.Get().(*Call)
	if chain == nil {
		return nil
	}
	c, rest := pop(chain)
	for rest != nil {
		var other *Call
		other, rest = pop(rest)
		q.Put(other)
	}
	return c
}
