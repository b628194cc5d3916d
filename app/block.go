package app

import (
	"runtime"
	"sync"
)

// Events live in blocks, each of one type. The program may keep a pointer into a block for as long as it likes, so a block
// is used again only after the garbage collector has found that there is none:
//
//	free     -> current  blocks.add, which sets the block's finalizer
//	current  -> full     blocks.add, when it has no place left; the package forgets the block
//	full     -> free     the finalizer: no pointer to an event of the block is left
//	full     -> gone     the finalizer, if enough are free
type block[E any] = [blockLen]E

const blockLen = 64

// blocks make the events of one type for one window. The methods are not safe for concurrent use. The zero value is ready.
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

// maxFree is how many blocks may be free: as many as 1,000 events a second use in the two minutes after which the garbage
// collector runs at the latest.
const maxFree = 120_000 / blockLen

// freeBlocks are the free blocks of one window and type. Finalizers refer to it, so it must not refer to the current block.
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
