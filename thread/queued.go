package thread

import "runtime"

// Queued returns how many functions are queued and have not begun, for a program that drops work or
// reports when the thread falls behind. It costs calls nothing, unlike [Thread.Stats], and takes
// itself some nanoseconds for each function that is queued.
//
// The number is exact while the thread takes no function, because it hangs or runs a long one, and
// otherwise an estimate. Functions that were withdrawn are counted until the thread reaches them;
// those whose posters wait for a slot of [WithQueueLimit] are not. It is zero when the thread has
// been terminated.
//
//threadcall:noalloc
func (t *Thread) Queued() int {
	n := t.e.Queued()
	runtime.KeepAlive(t)
	return n
}

// Queued is [Thread.Queued], but exact, and takes the same time however many are queued.
//
//threadcall:noalloc
func (p *Pool) Queued() int {
	n := p.p.Queued()
	runtime.KeepAlive(p)
	return n
}
