package spin

import (
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/sched"
)

// A Policy chooses between two ways in which a thread and its callers wait for each other:
//
//	parked    in the Go scheduler, like goroutines that wait for a channel. A call costs two wake-
//	          ups. The caller's P goes to the thread and comes back, so the call needs no other P and
//	          keeps none from others. A channel to a locked goroutine works like this.
//	spinning  each looks at the memory that the other writes. A call costs two transfers of a cache
//	          line, but caller and thread need a P and a core each until the next call.
//
// Let W be the price of parking, the time of two wake-ups, and p the time from one call to the
// next without them, the function's and the caller's own. Then a call takes, besides its work, this
// much CPU time:
//
//	W  parked
//	p  spinning, if p < LookFor, 3/2 W: for p, one of the two cores only waits
//	M  spinning, if not, a miss: the spin ends in vain, and the next caller waits beside the thread
//	   that it wakes
//
// The thread adds up what spinning would have saved, a quarter of W more for each call, because it
// answers sooner: 5/4 W - p, or -M. It spins while that sum, gain, is above zero (a little below,
// once it spins). So a load of n calls a frame keeps spinning from frame to frame if n calls save
// more than one pause costs. The sum is held between -8 W and 8 W: eight short calls suffice to
// begin after any phase, a few misses to end, and a change of load costs 16 W at most. Each spin
// ends after LookFor (Karlin et al., 1991, for locks).
//
// W and p are measured while the thread parks, at each call: W as the time from one call to the
// next less p. Cores that sleep and other goroutines add to that, so maxPrice bounds it.
//
// While goroutines wait for the Ps, they would use the P that a spin keeps, and also the time in
// which a call that is parked waits. Then W is no more than the CPU time of parking, cpuPrice.
//
// An attempt to spin may lose more than a miss. On a crowded machine, one side spins while the
// other, which is on another core now, waits for the end of another process's timeslice; two that
// park would have followed each other on one core. Next to goroutines that compute, a caller looks
// in vain for a thread that no P takes. So attempts have an account, credit, and take their loss
// from it. Spins add what they save, W for each call that they find; calls add an eighth of what
// spinning would have saved. The thread tries while credit is not negative. Without the account,
// crowded frames take 4 to 6 times as long.
//
// run is what spinning would have saved since calls last paused; each pause halves it. A run is
// likely to go on for as long as it has lasted. So on a crowded machine a thread tries only in a
// long run: in a closed loop, where thread and caller run at once after some attempts, and save a
// hundred times what those have lost; not in frames of 50 calls, each of which saves less than an
// attempt loses, a timeslice.
type Policy struct {
	Price  time.Duration // W
	Gain   time.Duration // that spinning has brought, or would have
	Credit time.Duration // that attempts to spin may lose; they need one that is not negative
	Run    time.Duration // what spinning would have saved since calls last paused

	// more each time that the thread finds goroutines which wait for a P, see Contend; zero after a
	// millisecond without calls
	Contended int32
}

const (
	firstPrice = 20 * time.Microsecond // W, until it has been measured; half and twice do as well
	minPrice   = firstPrice / 8        // half and twice do as well
	// A longer wait is one for a P, or for a core that sleeps. With 100 µs, a lone call or one of
	// three each ms takes 1.2 to 1.6 times the channel's CPU time, with this 1.0 to 1.2; with 25 µs,
	// frames of 50 calls and 10 µs take 2.8 times as long.
	maxPrice = 2 * firstPrice
	// With 10 µs, 2 callers of 0 µs have 0.6 times the calls; without it, 4 that think 20 µs take
	// 1.2 times the channel's CPU time.
	cpuPrice = firstPrice * 3 / 4
	// CPU time of a call that parks, divided by the binary digits of the number of callers: on 16
	// cores, with a channel, an empty call of 2, 4 and 16 callers takes 12.6, 7.2 and 4.6 µs
	parkPrice   = firstPrice * 5 / 4
	switchPrice = firstPrice / 10       // the same while another goroutine takes the P at once
	miss        = 3 * firstPrice        // M; its mean time, measured, changed no load
	Memory      = 8                     // calls that a mean, and gain, remembers; 4 to 16 do as well
	maxCredit   = 16 * time.Millisecond // some timeslices of Linux; a debt is at most 1 ms
	// with twice as much, crowded frames take 1.8 to 3 times as long; half does as well
	minRun = maxCredit / 2 // calls for which spinning would have saved two timeslices
)

func (p *Policy) Init() {
	p.Price, p.Gain = firstPrice, -Memory/2*firstPrice
	p.Credit = maxCredit / 4
}

// LookFor is how long a spin lasts.
func (p *Policy) LookFor() time.Duration { return p.Price + p.Price/2 }

// Pays reports whether to spin.
//
//threadcall:noalloc
func (p *Policy) Pays(spinning bool) bool {
	if spinning {
		return p.Gain > -p.Price
	}
	return p.Gain > 0 && p.Credit >= 0
}

// Periods learns from n calls that came after a time of d each.
//
//threadcall:noalloc
func (p *Policy) Periods(d time.Duration, n int) {
	price := p.Price
	if p.Contended >= believed {
		price = min(price, cpuPrice)
	}
	gain := price + price/4 - max(d, 0)
	if d < p.LookFor() {
		gains := time.Duration(n) * max(gain, 0)
		p.Run = min(p.Run+gains, maxCredit)
		p.earn(gains / Memory)
	} else {
		gain = -miss
		p.Run /= 2
	}
	limit := Memory * p.Price
	p.Gain = min(max(p.Gain+time.Duration(n)*gain, -limit), limit)
}

// Contend says whether goroutines waited for a P when the thread had had calls for some time.
//
//threadcall:noalloc
func (p *Policy) Contend(waited bool) { p.Contended = tally(p.Contended, waited) }

// earn adds to the credit what calls have saved, or takes from it what attempts have lost.
//
//threadcall:noalloc
func (p *Policy) earn(d time.Duration) {
	p.Credit = min(max(p.Credit+d, -maxCredit/16), maxCredit)
}

// paid learns the price of a call that was parked: its time, without the work.
//
//threadcall:noalloc
func (p *Policy) paid(d time.Duration) {
	p.Price += (min(max(d, minPrice), maxPrice) - p.Price) / Memory
}

// A Crowd says whether the machine has more threads to run than cores, as far as that is known.
// While it has, a thread tries to spin only in a long run, see minRun: an attempt costs a timeslice
// as a rule, and the account learns that only by losing some. Over counts one more for each sample
// with too many, and two less for others; believed is enough, as the kernel and the Go runtime run
// threads of their own now and then. It may be out of date, which costs one attempt.
type Crowd struct {
	Sampled atomic.Int64 // when, a time.Duration
	Over    atomic.Int32
}

// Others are the threads of other processes, and of the kernel.
var Others Crowd

const (
	believed    = Memory / 2
	sampleAfter = CoreLost / 2 // a sample costs 1.3 µs
)

// sample counts the threads of the machine, but not those of the process that run goroutines, if
// that is due.
//
//threadcall:noalloc
func (c *Crowd) sample(now time.Duration, l *sched.Load) {
	last := c.Sampled.Load()
	if now-time.Duration(last) < sampleAfter || !c.Sampled.CompareAndSwap(last, int64(now)) {
		return
	}
	if threads, cores, ok := cores.Runnable(); ok {
		c.count(threads, max(l.Running(), 1), cores)
	}
}

// crowded reports whether the machine has more threads to run than cores.
//
//threadcall:noalloc
func (c *Crowd) crowded() bool { return c.Over.Load() >= believed }

// count learns that so many threads run or wait for so many cores, own of them the process's.
//
//threadcall:noalloc
func (c *Crowd) count(threads, own, cores int) {
	c.Over.Store(tally(c.Over.Load(), threads-own+2 > cores))
}

// tally returns what becomes of a count that grows by one with each sample that says yes.
func tally(n int32, yes bool) int32 {
	if n -= 2; yes {
		n += 3
	}
	return min(max(n, 0), 2*believed)
}

// A Slot belongs to a thread that spins or would spin. A thread and its caller need two cores,
// so a thread spins only if there are two for each slot that is taken. Threads that outnumber half
// of the cores would take them from each other.
//
// A slot is leased: Seen is when its thread has last shown itself, or zero if it is free.
//
//	from    to     by               in
//	zero    now    a thread         take
//	a time  now    its thread       take, and tick while it spins
//	a time  now    another thread   take, slotLease later: nothing has called the first one, or it
//	                                runs a long function
//	a time  zero   its thread       stopSpinning, unless it has lost the slot
//
// A thread that has lost its slot, or has not shown itself for slotLease, takes one again before it
// spins.
type Slot struct {
	Seen atomic.Int64 // a time.Duration
	_    [56]byte
}

// taken reports whether a slot is not free, and its thread has been seen of late.
//
//threadcall:noalloc
func taken(seen int64, now time.Duration) bool {
	return seen != 0 && seen >= int64(now-slotLease)
}

// A Lease is what a thread knows of its slot.
type Lease struct {
	Slot *Slot // or nil
	seen int64 // what the thread has stored there
}

// Renew is false if the thread has no slot, or may have lost it.
//
//threadcall:noalloc
func (l *Lease) Renew(now time.Duration) bool {
	if l.Slot == nil || !taken(l.seen, now) || !l.Slot.Seen.CompareAndSwap(l.seen, int64(now)) {
		return false
	}
	l.seen = int64(now)
	return true
}

//threadcall:noalloc
func (l *Lease) Leave() {
	if l.Slot != nil {
		l.Slot.Seen.CompareAndSwap(l.seen, 0)
		l.Slot = nil
	}
}

// Spinners are the slots of this process.
var Spinners Slots

type Slots struct {
	slots   [64]Slot
	used    atomic.Int32 // those behind have never been taken: each has a cache line of its own
	Cores   atomic.Int32 // that threads and their callers may use; zero until known
	Procs   atomic.Int32 // GOMAXPROCS; zero until known
	Checked atomic.Int64 // when both were found, a time.Duration
}

const (
	slotLease  = CoreLost
	coresAreOf = 250 * time.Millisecond // how old Slots.Cores may be; half and twice do as well
)

// AtOnce returns how many goroutines can run at once, as far as that is known.
//
//threadcall:noalloc
func (s *Slots) AtOnce(now time.Duration) int {
	if runtime.GOARCH == "wasm" {
		return 1
	}
	last := time.Duration(s.Checked.Load())
	if s.Cores.Load() == 0 || now-last > coresAreOf {
		s.Checked.Store(int64(now))
		s.Cores.Store(int32(cores.Usable()))
		s.Procs.Store(int32(runtime.GOMAXPROCS(0))) // takes the scheduler's lock
	}
	return int(min(s.Cores.Load(), s.Procs.Load()))
}

// Take gives the thread of l a slot, and reports whether there are cores for all that have one.
//
//threadcall:noalloc
func (s *Slots) Take(l *Lease, now time.Duration) bool {
	for i := 0; !l.Renew(now); i++ {
		if i == len(s.slots) {
			return false
		}
		slot := &s.slots[i]
		if seen := slot.Seen.Load(); !taken(seen, now) && slot.Seen.CompareAndSwap(seen, int64(now)) {
			l.Slot, l.seen = slot, int64(now)
			for used := s.used.Load(); int(used) <= i; used = s.used.Load() {
				s.used.CompareAndSwap(used, int32(i+1))
			}
		}
	}
	return s.Free(now) >= 0
}

// Free returns for how many threads more there are cores; it is negative if there are not enough.
//
//threadcall:noalloc
func (s *Slots) Free(now time.Duration) int {
	n := s.AtOnce(now) / 2
	for i := range s.slots[:s.used.Load()] {
		if taken(s.slots[i].Seen.Load(), now) {
			n--
		}
	}
	return n
}

// turns reports whether callers that find others queued take turns: with more Ps, they would fight
// for the scheduler's lock.
//
//threadcall:noalloc
func (s *Slots) turns() bool {
	n := s.Procs.Load()
	return n == 1 || n == 2
}

// neverSpins says that no thread of this process spins.
var neverSpins = os.Getenv("THREADCALL_SPIN") == "off"
