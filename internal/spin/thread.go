package spin

import (
	"math/bits"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/sched"
)

const (
	FirstLooks = 2 * Looks // at the queue or at a record, before the first at the clock
	Looks      = 12        // between two at the clock: a microsecond; half and twice do as well

	// How long a thread counts as one with several callers, two timeslices of Go's scheduler. Next to
	// goroutines that compute, one may call for a whole timeslice before others do; but a lone call
	// must not wait for a timeslice.
	togetherFor = 20 * time.Millisecond
)

// A Thread is what a thread knows about its waits. Only the thread uses it: it notes here what
// comes, and when, and does what the answers say.
type Thread struct {
	Policy Policy
	state  *State // what it tells callers

	// how often it has had nothing to do since it last ran a call; beyond Memory it does not spin for
	// posts, whose posters do not wait: while it wakes up, more come, which cost no wake-up
	Uncalled int
	up       time.Duration // when it was woken; zero if it has spun since

	Spins       bool          // and has a slot
	offered     bool          // callers may have waited for the thread to run beside them
	outnumbered bool          // threads that would spin, or other goroutines, have not cores enough
	Several     bool          // callers have waited at once since it was last down
	together    time.Duration // when that was last found
	skips       int           // parks from now on that are not timed, because of outnumbered
	wanted      int32         // more at each park at which other goroutines wanted the Ps, see tally
	awaited     int32         // the same for wake-ups
	dear        int32         // more each time that several look for as long as parking costs
	alone       int32         // more each time that there is one caller
	retry       time.Duration // when several may look again, as that was dear

	Lease
	Window Window
	before int // calls found when it began to spin
	Found  int // calls that it found while it was spinning

	Load sched.Load
}

// Init makes t the side of a new thread, whose callers have s. If parks is true, nothing spins.
func (t *Thread) Init(s *State, parks bool) {
	s.Price.Store(int64(firstPrice))
	s.Parks = parks || neverSpins
	t.Policy.Init()
	t.state, t.together = s, -togetherFor
}

// affords reports whether to begin to spin: it pays, others do not want the cores, or the run is
// long, and there is a slot, and cores for all that have one. calm is as in declines.
//
//threadcall:noalloc
func (t *Thread) affords(now time.Duration, calm bool) bool {
	if !t.Policy.Pays(false) || t.state.Parks || Spinners.AtOnce(now) < 2 {
		return false
	}
	if !t.offered || Others.Over.Load() > 0 {
		Others.sample(now, &t.Load)
	}
	if Others.crowded() && t.Policy.Run < minRun {
		return false
	}
	t.outnumbered = false
	return Spinners.Take(&t.Lease, now) || t.declines(calm)
}

// declines is called when spinning pays, but others want the cores. So callers park: Gosched would
// keep a P from others. But they do not if calm is true, because functions are brief and other
// threads take the calls, too.
//
//threadcall:noalloc
func (t *Thread) declines(calm bool) bool {
	t.outnumbered, t.skips = true, Memory
	if !calm {
		change(&t.state.Spin, ParkAtOnce)
	}
	return false
}

// Starts makes callers look for their outcomes, if that pays and there is a slot. grabs is of the
// queue.
//
//threadcall:noalloc
func (t *Thread) Starts(now time.Duration, grabs uint64, calm bool) bool {
	if !t.affords(now, calm) {
		return false
	}
	t.Spins, t.up, t.before = true, 0, t.Found
	core := int32(Own)
	if t.offered && !Others.crowded() && !t.Several && !t.Together(now) {
		core = MayShare
	}
	t.state.setCore(core)
	t.Window = Window{Grabs: grabs}
	t.state.Spin.Store(int64(t.Policy.LookFor()))
	return true
}

// YieldCore lets other threads have the core, if they want it. Yielded is told what came then.
//
//threadcall:noalloc
func (t *Thread) YieldCore() { cores.Yield() }

// Yielded learns whether the thread shares its core from the time that a yield has taken, with some
// looks, and whether it has found a call then.
//
//threadcall:noalloc
func (t *Thread) Yielded(took time.Duration, found bool) {
	if took >= longYield {
		t.state.setCore(Shares)
	} else if found { // else the other side may be anywhere
		t.state.setCore(MayShare)
	}
}

// Stop makes callers park, and takes back what Parks has offered. It returns the time, or zero if
// the thread did not spin.
//
//threadcall:noalloc
func (t *Thread) Stop() (now time.Duration) {
	change(&t.state.Offer, 0)
	if !t.Spins {
		return 0
	}
	t.state.Spin.Store(min(t.state.Spin.Load(), 0))
	t.Leave()
	t.Spins = false
	now = clock.Now()
	t.Policy.earn(time.Duration(t.Found-t.before)*t.Policy.Price -
		time.Duration(t.state.Lost.Swap(0)))
	return now
}

// Lone reports whether a lone caller was parked, which needs a P and may get it from this thread.
// woke is how many were.
//
//threadcall:noalloc
func (t *Thread) Lone(woke int) bool {
	t.Several = t.Several || woke > 1
	switch {
	case woke != 1:
	case t.Spins:
		t.Policy.Periods(t.Policy.LookFor(), 1)
	case t.offered:
		t.Policy.earn(-time.Duration(t.state.Lost.Swap(0)))
	}
	return woke == 1
}

// A Window is what a thread has seen since it last advised its callers.
type Window struct {
	calls int
	time  time.Duration // that they and the waits for them took
	Grabs uint64        // of the queue, when the window began
	Idles int           // how often the queue was empty
	Idle  time.Duration // for how long, if for longer than the first looks
}

// Advise says how callers wait that find the thread up, after it has run calls in the time took. It
// returns how many callers are about, or zero if that is not known yet.
//
// A caller waits for the calls before it, the running one included, and for its own: n times the
// mean time of a call. If all of them look meanwhile, a call costs each of them that time of one
// call; if they park, it costs the wake-up of one of them. Among many callers that costs less,
// because Ps look for work already: see parkPrice. While goroutines wait for a P, it costs no more
// than a change of goroutines.
//
// Callers that are being woken are not about, so callers seem to be fewer while they park. So those
// that look go on until that has been dear several times, and then do not look again for
// togetherFor, or until one has been alone several times. Else, on 16 cores, 2 callers of 3 µs have
// 0.6 times the calls, and 16 callers take twice the CPU time.
//
//threadcall:noalloc
func (t *Thread) Advise(now, took time.Duration, calls int, grabbed uint64) (n int) {
	w := &t.Window
	w.calls += calls
	w.time += took
	grabs := int(grabbed - w.Grabs)
	if grabs == 0 { // more were queued at once
		return 0
	}
	n = max((w.calls+grabs/2)/grabs, 1)
	if 2*w.Idles < grabs {
		n++ // calls come while another runs
	}
	if n > 1 {
		t.state.setCore(Own)
	}
	price, turns := t.Policy.Price, Spinners.turns()
	each := (w.time - w.Idle) / time.Duration(w.calls)
	wait, share := time.Duration(n)*each, time.Duration(bits.Len(uint(n)))
	parks := wait >= price/2/share
	if !turns && t.state.Spin.Load() > 0 {
		t.dear = tally(t.dear, n > 1 && wait >= parkPrice/share)
		if t.dear >= believed {
			t.dear, t.retry = 0, now+togetherFor
		}
		parks = parks && n == 1 // several go on until then
	}
	if t.alone = tally(t.alone, n == 1); t.alone >= believed {
		t.retry = 0
	}
	if t.Policy.Contended >= believed && Spinners.AtOnce(now) > 2 {
		parks = parks || wait >= switchPrice
	}
	spin := int64(0)
	switch {
	case n > 1 && each >= price/4, t.outnumbered && !t.Spins:
		spin = ParkAtOnce
	case !t.Spins || parks || now < t.retry:
	case n == 1 || turns || n+1 <= 2*(1+Spinners.Free(now)): // each needs a core
		spin = int64(t.Policy.LookFor())
	}
	change(&t.state.Spin, spin)
	*w = Window{Grabs: grabbed}
	return n
}

// Together reports whether the thread counts as one with several callers.
//
//threadcall:noalloc
func (t *Thread) Together(now time.Duration) bool { return now-t.together < togetherFor }

// Parks is called when the thread is about to wait in the Go scheduler. It says how the caller that
// wakes the thread waits. Without RunLast, 16 callers next to goroutines that compute have a tenth
// of the calls; without awaited, 64 callers that sleep 1 ms have nine tenths.
//
//threadcall:noalloc
func (t *Thread) Parks(down time.Duration, calm bool) {
	// Times cost four readings of the clock, and two cache lines that callers write for the thread.
	t.skips = max(t.skips-1, 0)
	timed := !t.state.Parks && t.Uncalled <= Memory && t.skips == 0
	if timed != t.state.Timed.Load() {
		t.state.Timed.Store(timed)
	}
	t.offered = false
	if t.offered = timed && t.affords(down, calm); t.offered {
		// if the goroutines that run or are ready leave room for both sides
		t.wanted = tally(t.wanted, !t.Load.Below(Spinners.AtOnce(down)+1))
		t.offered = t.wanted < believed || t.declines(calm)
	}
	if t.Several {
		t.Several, t.together = false, down
	}
	switch {
	case t.offered:
		change(&t.state.Offer, Meets)
	case t.awaited >= believed && t.Together(down) && t.Uncalled <= Memory:
		change(&t.state.Offer, RunLast)
	}
}

// AsksWhen reports, after Parks, whether a poster that wakes the thread is to say when. Its calls
// have not been so rare lately that it could not soon spin.
//
//threadcall:noalloc
func (t *Thread) AsksWhen() bool {
	return t.state.Timed.Load() && t.Policy.Gain > -Memory/2*t.Policy.Price
}

// Woken measures, after Parks and a wait from down to now, what decides about spinning.
//
//threadcall:noalloc
func (t *Thread) Woken(down, now time.Duration) {
	if t.Together(down) && t.Uncalled <= Memory { // one of several callers has woken it
		t.awaited = tally(t.awaited, !t.Load.Below(Spinners.AtOnce(down)+1))
	}
	up, w := t.up, t.state
	if t.up = 0; !w.Timed.Load() {
		return
	}
	t.up = now
	pushed := time.Duration(w.Pushed.Load())
	if t.offered && pushed > down {
		w.Away(pushed, now)
	}
	if up == 0 || pushed >= now { // in a bubble
		return
	}
	noted := pushed > down
	if !noted { // by a poster: at once, if the wake-up may have taken all the time
		pushed = max(down, now-CoreLost)
	}
	work := down - up + pushed - max(down, time.Duration(w.Returned.Load()))
	t.Policy.Periods(work, 1)
	if noted && work <= maxPrice {
		t.Policy.paid(now - up - work)
		w.Price.Store(int64(t.Policy.Price))
	}
}
