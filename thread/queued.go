package thread

import "runtime"

// Queued returns how many functions are queued and have not begun. Unlike [Thread.Stats] it costs
// calls nothing; Queued itself takes some nanoseconds for each function in the queue.
//
// The number is an estimate, and exact while the thread takes no function, because it hangs or runs
// a long one. Functions whose posters wait for a slot of [WithQueueLimit] are not counted, posts
// whose context is done are until the thread reaches them. A terminated thread has none.
//
//threadcall:noalloc
func (t *Thread) Queued() int {
	n := t.e.Queued()
	runtime.KeepAlive(t)
	return n
}

// Queued is [Thread.Queued], but exact, and takes the same time for any length of the queue.
//
//threadcall:noalloc
func (p *Pool) Queued() int {
	n := p.p.Queued()
	runtime.KeepAlive(p)
	return n
}
