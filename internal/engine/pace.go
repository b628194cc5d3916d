package engine

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A thread and its callers wait for each other in one of two ways:
//
//	parked     in the Go scheduler, like goroutines that wait for a channel. A call costs two wake-ups. The caller's P goes to the
//	           thread and comes back, so the call needs no other P and keeps none from others. A channel to a locked
//	           goroutine works like this.
//	spinning   each looks at the memory that the other writes. A call costs two transfers of a cache line, but caller and
//	           thread need a P and a core each until the next call.
//
// A thread begins parked, and measures in that state what it needs in order to know when spinning pays. If W is the price of two
// wake-ups, and p the time from one call to the next without them, the function's and the caller's own, then a call takes
// so much CPU time more than the work itself:
//
//	W      parked
//	p      spinning, if p < W: that long the partner's core only waits
//	2 W    spinning, if p > W: the spin ends after W without success, and then come the wake-ups
//
// So the thread spins while the mean of the last two, cost, is less than W; and because each spin ends after W, a wrong guess
// costs no more than what it was to save.
//
// Beginning has a price, too: a caller that was parked needs a second P and a second core, see Engine.meet. If the calls
// that follow do not pay for it, the thread waits for twice as many calls as the last time before it tries again.
type pace struct {
	wakeUp time.Duration // half of W
	cost   time.Duration // decaying mean of what a call costs if both spin

	spinning bool          // the thread has a place among the spinners, and callers may spin as well
	began    time.Duration // when
	calls    int           // found while it was spinning, in all
	before   int           // of those, before it began

	wait   int // calls before spinning is tried again
	losses int // how often in succession it has not paid
}

const (
	firstWakeUp = 10 * time.Microsecond // believed until it has been measured
	maxWakeUp   = 50 * time.Microsecond // a longer wait is one for a P or a core
	memory      = 8                     // calls that a mean remembers
	firstWait   = 2                     // calls
	maxLosses   = 7
)

func (p *pace) init() { p.wakeUp, p.cost = firstWakeUp, 4*firstWakeUp }

// price returns W.
func (p *pace) price() time.Duration { return 2 * p.wakeUp }

// pays reports whether to spin.
//
//threadcall:noalloc
func (p *pace) pays() bool { return p.wait <= 0 && p.cost < p.price() }

// wokenAfter learns from the time between a caller's wake-up and the thread's first instruction. Others on the machine make
// it longer and nothing makes it shorter, so the estimate is one that a fifth of the wake-ups are below.
//
//threadcall:noalloc
func (p *pace) wokenAfter(d time.Duration) {
	if d < p.wakeUp {
		p.wakeUp -= (p.wakeUp - d) / memory
	} else {
		p.wakeUp = min(p.wakeUp+min(d-p.wakeUp, p.wakeUp)/(4*memory), maxWakeUp)
	}
}

// period learns from the time between two calls.
//
//threadcall:noalloc
func (p *pace) period(d time.Duration) {
	if d >= p.price() {
		d = 2 * p.price()
	}
	p.cost += (max(d, 0) - p.cost) / memory
}

// begin is called before the thread spins for the first time, for which its caller has waited since began. It is false if that
// must not be.
//
//threadcall:noalloc
func (p *pace) begin(now, began time.Duration) bool {
	if !spinners.enter(now) {
		return false
	}
	p.spinning, p.began, p.before = true, began, p.calls
	return true
}

// missed is called when trying to spin has cost more than it saved.
//
//threadcall:noalloc
func (p *pace) missed(now time.Duration) {
	spinners.failed(now)
	p.wait = firstWait << p.losses
	p.losses = min(p.losses+1, maxLosses)
}

// end is called when the thread does not spin any more.
//
//threadcall:noalloc
func (p *pace) end(now time.Duration) {
	p.spinning = false
	spinners.leave()
	calls := p.calls - p.before
	for range min(calls, 4*memory) {
		p.cost -= p.cost / memory // calls that come at once are not learnt from one by one
	}
	p.period(p.price())
	if time.Duration(calls)*p.price() > now-p.began {
		p.losses = 0
		spinners.succeeded()
	} else {
		p.missed(now)
	}
}

// spinners are the threads of this process that spin. Thread and caller need two cores, so there are at most half as many as
// cores. If a thread finds that there is no P or no core for its caller, because other goroutines or other processes have them,
// then no thread begins for a while.
var spinners spinnerSet

type spinnerSet struct {
	n     atomic.Int32
	until atomic.Int64 // when that while is over, a time.Duration
	pause atomic.Int64 // how long it was, a time.Duration; zero after a success
}

const (
	firstPause = 200 * time.Microsecond // as long as the attempt
	maxPause   = 100 * time.Millisecond // so that attempts in vain take less than a hundredth of the time
)

// open reports whether it is worth trying.
//
//threadcall:noalloc
func (s *spinnerSet) open(now time.Duration) bool {
	return multicore && int64(now) >= s.until.Load() && s.n.Load() < max(1, cores/2)
}

//threadcall:noalloc
func (s *spinnerSet) enter(now time.Duration) bool {
	if !s.open(now) || runtime.GOMAXPROCS(0) == 1 {
		return false
	}
	for n := s.n.Load(); n < max(1, cores/2); n = s.n.Load() {
		if s.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

//threadcall:noalloc
func (s *spinnerSet) leave() { s.n.Add(-1) }

// failed keeps threads from beginning for twice as long as after the last failure.
//
//threadcall:noalloc
func (s *spinnerSet) failed(now time.Duration) {
	pause := min(max(2*s.pause.Load(), int64(firstPause)), int64(maxPause))
	s.pause.Store(pause)
	s.until.Store(int64(now) + pause)
}

//threadcall:noalloc
func (s *spinnerSet) succeeded() {
	if s.pause.Load() != 0 {
		s.pause.Store(0)
	}
}

var (
	cores     = int32(runtime.NumCPU())
	multicore = cores > 1 && runtime.GOARCH != "wasm" // a thread can run while another spins
)
