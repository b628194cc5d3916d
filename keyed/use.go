package keyed

import (
	"hash/maphash"
	"sync/atomic"
	"time"
)

// A use says how many calls use a thread. Most calls need no more of a set than that, and so do not
// take mu, for which calls of all keys would contend:
//
//	calls     next       by                     in
//	n         n+1        a call                 take, unless attends is set
//	n or n+s  n+1, n+s+1 who has mu             set.take, also of a thread that is forgotten
//	n > 1     n-1        a call                 leaves
//	n+s > s+1 n+s-1      a call                 leaves
//	1         0          a call                 unuse, which has noted when; if attends is set, it
//	                                            then takes mu and looks at everything
//	n or n+s  the same,  who has mu             unuse
//	          less one
//	n         n+s        who has mu             leave, terminate: calls find no thread
//	0         s          who has mu             longestUnused, endIdle
//	s         0          who has mu             endIdle, if the thread is not unused for long
//
// attends is set, with mu, before anything looks for threads that are unused: while calls wait for
// a thread, while there are more threads than the limit, and while no timer is set that would end
// unused ones. So either who looks sees that a thread has become unused, or the call that has left
// it sees attends.
type use struct {
	calls  atomic.Int64 // that use it; and shut, if it takes no more
	since  atomic.Int64 // when it has last become unused, a time.Duration
	turn   atomic.Int64 // in a bubble, whose clock stands still, how many had become unused before
	evicts atomic.Int64 // how many threads evict had ended then
}

const shut = 1 << 32 // s

// take counts one more call, unless the thread takes no more.
//
//threadcall:noalloc
func (u *use) take() bool {
	for n := u.calls.Load(); n&shut == 0; n = u.calls.Load() {
		if u.calls.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// leaves counts one call less, unless it is the last.
//
//threadcall:noalloc
func (u *use) leaves() bool {
	for n := u.calls.Load(); n&^shut > 1; n = u.calls.Load() {
		if u.calls.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// note says that the thread becomes unused now.
//
//threadcall:noalloc
func (u *use) note(now time.Duration, evicts int64) {
	u.since.Store(int64(now))
	u.evicts.Store(evicts)
}

// before reports whether the thread has become unused before that of v.
func (u *use) before(v *use) bool {
	if s, t := u.since.Load(), v.since.Load(); s != t {
		return s < t
	}
	return u.turn.Load() < v.turn.Load()
}

// A recent finds the threads of most keys without mu. What it does not find, or what has been shut
// meanwhile, is looked for with mu. Each key has two places, which others may have taken. The zero
// value is empty.
type recent[K comparable] struct {
	places atomic.Pointer[places[K]]
}

type places[K comparable] struct {
	seed maphash.Seed
	all  []atomic.Pointer[worker[K]]
}

// placesEach is how many places there are for a thread: then one key in forty has none for itself.
const placesEach = 8

// of returns the first place of key and the second one.
//
//threadcall:noalloc
func (p *places[K]) of(key K) (first, second *atomic.Pointer[worker[K]]) {
	i := int(maphash.Comparable(p.seed, key)) & (len(p.all) - 1)
	return &p.all[i], &p.all[i^1]
}

// find returns the thread of key, or nil.
//
//threadcall:noalloc
func (r *recent[K]) find(key K) *worker[K] {
	p := r.places.Load()
	if p == nil {
		return nil
	}
	first, second := p.of(key)
	if x := first.Load(); x != nil && x.state.key == key {
		return x
	}
	if x := second.Load(); x != nil && x.state.key == key {
		return x
	}
	return nil
}

// add makes find return x, and makes places for all if there are not enough. The caller holds mu,
// as in all that follow.
//
//threadcall:noalloc
func (r *recent[K]) add(x *worker[K], all []*worker[K]) {
	p := r.places.Load()
	if p == nil || len(p.all) < placesEach*len(all) {
		p = r.fit(all) //threadcall:alloc when there are more threads than ever
	}
	key := x.state.key
	if same := key; same != key || r.find(key) == x {
		return // nothing would find it, or it is there
	}
	first, second := p.of(key)
	if first.Load() != nil {
		second.Store(first.Load())
	}
	first.Store(x)
}

// remove makes find not return x, which is shut.
func (r *recent[K]) remove(x *worker[K]) {
	p := r.places.Load()
	if p == nil {
		return
	}
	first, second := p.of(x.state.key)
	first.CompareAndSwap(x, nil)
	second.CompareAndSwap(x, nil)
}

// fit makes places for all.
func (r *recent[K]) fit(all []*worker[K]) *places[K] {
	size := placesEach
	for size < placesEach*len(all) {
		size *= 2
	}
	p := &places[K]{maphash.MakeSeed(), make([]atomic.Pointer[worker[K]], size)}
	r.places.Store(p)
	for _, x := range all {
		if x.calls.Load()&shut == 0 {
			r.add(x, all)
		}
	}
	return p
}
