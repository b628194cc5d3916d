package callq

import "math/bits"

// A block is a record of kind Posts, with the functions that goroutines which are on no thread have
// posted. While it is the youngest call, they add theirs. So a post to a thread that runs is two
// compare-and-swaps on one line, and neither changes head nor takes a record; a record and head for
// each make floods of posts 1.5 to 2.3 times as dear. A record that is a block remains one: posters
// use its line of functions, and the thread alone the line before, unless more calls are queued.
// Call.posts says what is in it:
//
//	places  how many have been given out; a function has the place of its poster. In a block that
//	        is not open, how many use the record: the thread, and posters whose place is not full
//	full    a bit for each place that holds a function which has not been taken
//	open    functions may be added
//	life    how often the record has been a block
//
//	from       to               by      in
//	not open   open, one full,  poster  Post, before it pushes the block
//	           the next life
//	open       one more place   poster  Post, if head is the block and places are left
//	open       the place full   poster  Post, when the function is there. If the block is not open
//	                                    any more, the poster queues its function in another
//	full       not full, and    thread  takePost: the oldest
//	           not open
//	not open   one user less    poster  Post, if the block was no longer open when the function was
//	                                    there. The last that uses the record gives it back
//	not open   one user less    thread  PostRun, when all functions have been taken; likewise
//	full       none, and not    anyone  refuseAll
//	           open
//
// Between its look at the word and its compare-and-swap for a place, a poster looks at head again.
// So the block was the youngest call in the life that the place belongs to, and all that the poster
// has queued before is older. The thread takes a block from head first; then no place is given out
// but to posters that were about to take one.
type block [blockOf]func()

const (
	blockOf = 7 // functions: a cache line, with posts; with half, it takes 1.1 times as long
	full    = 1<<blockOf - 1
	place   = 1 << blockOf
	places  = place * (1<<4 - 1)
	open    = place << 4
	life    = open << 1
)

// Post queues fn for a goroutine that is on no thread. wake and ok are as in Push.
//
//threadcall:noalloc
func (q *Queue) Post(fn func()) (wake, ok bool) {
	h := q.head.Load()
	if h != nil && q.addTo(h, fn) {
		return false, true
	}
	c := &q.firstBlock
	if h != &resting || q.blockTaken.Load() || !q.blockTaken.CompareAndSwap(false, true) {
		c = q.record(&q.blocks, Posts)
	}
	c.fns[0] = fn
	c.posts.Store(c.posts.Load()&^(life-1) + life | open | place | 1)
	if h == &resting && q.head.CompareAndSwap(h, c) { // as in Push, which is on another page
		return true, true
	}
	if wake, _, ok = q.Push(c); !ok { // for ever, so the block need not be shut
		c.fns[0] = nil
		q.Put(c)
	}
	return wake, ok
}

// addTo adds fn to c if that is a block and the youngest call.
//
//threadcall:noalloc
func (q *Queue) addTo(c *Call, fn func()) bool {
	for {
		s := c.posts.Load()
		if s&open == 0 || s&places == blockOf*place || q.head.Load() != c {
			return false
		}
		if !c.posts.CompareAndSwap(s, s+place) {
			continue
		}
		n := s & places / place
		c.fns[n] = fn
		for s = c.posts.Load(); s&open != 0; s = c.posts.Load() {
			if c.posts.CompareAndSwap(s, s|1<<n) {
				return true
			}
		}
		c.fns[n] = nil
		c.leave()
		return false
	}
}

// leave says that one less uses a block that is not open, and gives back the record after the last.
//
//threadcall:noalloc
func (c *Call) leave() {
	if s := c.posts.Add(^uint64(place - 1)); s&places == 0 {
		c.Queue.Put(c)
	}
}

// begin takes the first function of a block that is in no list, and makes the block the first of
// ready if there are more.
//
//threadcall:noalloc
func (q *Queue) begin(c *Call) *Call {
	if !c.takePost() {
		c.spent = true
		q.left(c)
		return c
	}
	next := q.ready.Load()
	c.next.Store(next)
	if next == nil {
		q.last = c
	} else if q.chained != nil {
		next.Node.Before = &c.Node
	}
	if next == &closed || !q.ready.CompareAndSwap(next, c) {
		c.refuseAll()
	}
	return c
}

// takePart takes the next function of c, the first of ready, or returns nil if Close has refused
// them. That does not free the record. So the thread may look at it before it removes it from the
// list, which is not true of others.
//
//threadcall:noalloc
func (q *Queue) takePart(c *Call) *Call {
	if c.takePost() {
		return c
	}
	if c.Fn == nil {
		return nil
	}
	if q.ready.CompareAndSwap(c, c.next.Load()) {
		if q.chained != nil {
			q.unchain(c, c.next.Load())
		}
		c.next.Store(nil)
		c.spent = true
		q.left(c)
	}
	return c
}

// takePost makes Fn the oldest function of a block and reports whether there are more. Fn is nil if
// all have been refused.
//
//threadcall:noalloc
func (c *Call) takePost() (more bool) {
	for {
		s := c.posts.Load()
		if s&full == 0 {
			return false
		}
		t := s & (s - 1) &^ open
		if s&open != 0 { // the places that are full have no poster any more, and the thread comes
			t -= place * uint64(bits.OnesCount64(s&full)-1)
		}
		if c.posts.CompareAndSwap(s, t) {
			n := bits.TrailingZeros64(s)
			c.Fn, c.fns[n] = c.fns[n], nil
			return t&full != 0
		}
	}
}

// refuseAll refuses the functions of a block that have not been taken. The record is not used
// again, because the thread may be about to look at it.
func (c *Call) refuseAll() {
	for s := c.posts.And(^uint64(open|full)) & full; s != 0; s &= s - 1 {
		c.fns[bits.TrailingZeros64(s)] = nil
		if c.Queue.Owner != nil {
			c.Queue.Refused()
		}
	}
}

// functions returns how many functions of a block have not been taken; zero if c is no block.
func (c *Call) functions() int { return bits.OnesCount64(c.posts.Load() & full) }
