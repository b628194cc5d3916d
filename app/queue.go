package app

import (
	"runtime"
	"sync"
)

// A queue carries events from the main thread, which does not wait, to the goroutine or thread that
// handles them.
type queue struct {
	mu   sync.Mutex
	ring []Event // the number of slots is a power of two
	head int     // the oldest, counted from the first ever
	tail int     // one after the youngest

	came     func()        // called after each event
	notified chan struct{} // an event has come that Run delivers, or the window has been stopped
}

func newQueue() *queue {
	q := &queue{ring: make([]Event, 64), notified: make(chan struct{}, 1)}
	q.came = q.notify
	return q
}

// In a queue of long events, because the handler is slow, an event of which only the last counts
// replaces one that came immediately before.
const long = 256

// poster returns a function that queues a copy of an event. The main thread calls it.
func poster[E any, P interface {
	*E
	Event
}](q *queue) func(E) {
	var b blocks[E]
	return func(e E) {
		q.mu.Lock()
		last, same := q.ring[(q.tail-1)&(len(q.ring)-1)].(P)
		if same && last.event() && q.tail-q.head >= long {
			*last = e
		} else {
			q.add(P(b.add(e)))
		}
		q.mu.Unlock()
		q.came()
	}
}

// add adds an event while mu is held.
func (q *queue) add(e Event) {
	if n := len(q.ring); q.tail-q.head == n {
		bigger := make([]Event, 2*n)
		for i := q.head; i != q.tail; i++ {
			bigger[i&(2*n-1)] = q.ring[i&(n-1)]
		}
		q.ring = bigger
	}
	q.ring[q.tail&(len(q.ring)-1)] = e
	q.tail++
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.tail - q.head
}

func (q *queue) notify() {
	select {
	case q.notified <- struct{}{}:
	default:
	}
}

// get removes the oldest event, or returns nil.
func (q *queue) get() (e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head != q.tail {
		slot := &q.ring[q.head&(len(q.ring)-1)]
		e, *slot = *slot, nil
		q.head++
	}
	return e
}

// Events live in blocks, each of one type. The program may keep a pointer into a block for as long
// as it likes, so a block is used again only after the garbage collector has found that there is
// none:
//
//	free     -> current  blocks.add, which sets the block's finalizer
//	current  -> full     blocks.add, when it has no slot left; the package forgets the block
//	full     -> free     the finalizer: no pointer to an event of the block is left
//	full     -> gone     the finalizer, if enough are free
type block[E any] = [blockLen]E

const blockLen = 64

// blocks make the events of one type for one window. They are not safe for concurrent use.
type blocks[E any] struct {
	current *block[E]
	used    int
	free    *freeBlocks[E]
}

// add returns a pointer to a copy of e.
func (b *blocks[E]) add(e E) *E {
	if b.current == nil || b.used == blockLen {
		if b.free == nil {
			b.free = &freeBlocks[E]{}
			b.free.finalizer = b.free.put
		}
		b.current, b.used = b.free.take(), 0
	}
	p := &b.current[b.used]
	*p = e
	b.used++
	return p
}

// maxFree is how many blocks may be free: as many as 1,000 events a second use in the two minutes
// after which the garbage collector runs at the latest.
const maxFree = 120_000 / blockLen

// freeBlocks are the free blocks of one window and type. Finalizers refer to it, so it must not
// refer to the current block.
type freeBlocks[E any] struct {
	mu        sync.Mutex
	list      []*block[E]
	made      int // how many have been allocated
	finalizer func(*block[E])
}

func (f *freeBlocks[E]) take() (b *block[E]) {
	f.mu.Lock()
	if n := len(f.list); n > 0 {
		b, f.list[n-1] = f.list[n-1], nil // or the list would keep the block from being collected
		f.list = f.list[:n-1]
	} else {
		b = new(block[E])
		f.made++
	}
	f.mu.Unlock()
	runtime.SetFinalizer(b, f.finalizer)
	return b
}

func (f *freeBlocks[E]) put(b *block[E]) {
	*b = block[E]{} // what its events refer to is garbage now
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) < maxFree {
		f.list = append(f.list, b)
	}
}
