package engine

import (
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/internal/sched"
)

// This file is the thread's side of waiting; wait.go has the callers' and the states,
// wait_policy.go the choice.
const (
	firstLooks = 2 * looks // at the queue or at a record, before the first at the clock
	looks      = 12        // between two at the clock: a microsecond; half and twice do as well

	// How long a thread counts as one with several callers. Next to goroutines that compute, one may
	// call for a whole timeslice before others do; but a lone call must not wait for a timeslice.
	togetherFor = 2 * timeslice

	tick     = yieldAfter / 5  // a thread that always has calls reads the clock as often, roughly,
	maxCalls = memory * memory // and after so many calls at the latest

	unheardFor = time.Millisecond // for which no caller has yielded, as there are only posts

	// Two goroutines that wake each other are each the next to run on their P, and share one timeslice
	// of Go's scheduler. But a locked one begins a new timeslice each time, so that with one P others
	// would wait for ever. So a thread that has slept for short times only for so long lets them run.
	timeslice = 10 * time.Millisecond
	longSleep = timeslice / 10
)

// idleState is what the thread knows about its waits. Only the thread uses it.
type idleState struct {
	policy spinPolicy
	lease
	spins   bool // and has a slot
	woke    int  // callers that were parked, since the thread was last idle or let others run
	offered bool // callers may have waited for the thread to run beside them

	// how often it has had nothing to do since it last ran a call; beyond memory it does not spin for
	// posts, whose posters do not wait: while it wakes up, more come, which cost no wake-up
	uncalled int

	outnumbered bool          // threads that would spin, or other goroutines, have not cores enough
	skips       int           // parks from now on that are not timed, because of that
	wanted      int32         // more at each park at which other goroutines wanted the Ps, see tally
	awaited     int32         // the same for wake-ups
	several     bool          // callers have waited at once since it was last down
	together    time.Duration // when that was last found

	before int // calls found when the thread began to spin

	window  window
	taken   int           // calls since ticked
	calls   uint          // awaited ones until then
	every   int           // calls from one tick to the next
	ticked  time.Duration // when the thread has last read the clock; zero before it has
	up      time.Duration // when it was woken; zero if it has spun since
	yielded time.Duration // when callers were last told to yield, or the thread or a caller parked
	passed  time.Duration // when one has yielded for all Ps, or parked, or the thread itself
	let     time.Duration // when it has last slept or asked, see letRun; later after long yields
	shared  time.Duration // when it has last slept for long, or let others run, see timeslice

	sleeps int // how often it was parked
	found  int // calls that it found while it was spinning
}

// took is called for each call that the thread has taken and run.
//
//threadcall:noalloc
func (e *Engine) took() {
	if r := &e.idleState; r.taken+1 < r.every {
		r.taken++
	} else {
		e.tick(clock.Now())
	}
}

// brief reports whether functions, with what is done beside them, take less than 2 µs.
func (r *idleState) brief() bool { return r.every > int(tick/(2*time.Microsecond)) }

// tick is called when the thread knows the time. Callers that have kept their Ps for long yield.
//
//threadcall:noalloc
func (e *Engine) tick(now time.Duration) {
	r := &e.idleState
	n := r.taken + 1
	r.taken = 0
	if r.ticked == 0 { // or it would yield after its first call
		r.ticked, r.yielded, r.passed, r.let = now, now, now, now
		e.counts.at.Store(int64(now))
		return
	}
	each := (now - r.ticked) / time.Duration(n)
	if r.spins {
		r.policy.periods(each, n)
		if !r.renew(now) && !spinners.take(&r.lease, now) { // a function has run for long
			e.stopSpinning()
		}
	}
	e.advise(now, n, -1)
	e.counts.at.Store(int64(now))
	r.every = int(min(max(tick/max(each, 1), 1), maxCalls))
	r.ticked = now
	// while callers park at once, other Ps are free to take what waits for this one
	if now-r.let >= askAfter && e.waits.spin.Load() != parkAtOnce && e.letRun(now) {
		return
	}
	after := yieldAfter
	if e.counts.calls == r.calls {
		after = yieldPosts
	}
	r.calls = e.counts.calls
	if now-r.yielded >= after {
		r.yielded = now
		kind := uint32(yieldOwn)
		switch {
		case now-r.passed >= unheardFor && e.yields.kind.Load() != 0:
			runtime.Gosched()
			r.passed = clock.Now()
		case now-r.passed >= yieldAllAfter:
			kind = yieldAll
		}
		e.yields.kind.Store(kind)
	}
}

// letRun yields if goroutines wait for a P, and is true if it has. Callers that the thread has
// woken wait in the queue of its P: without letRun, the p99 of 4 and 16 callers of 3 µs is two to
// three times the channel's. The longer a yield took, the later the next is due. After a
// millisecond, the thread was behind goroutines that compute.
//
//threadcall:noalloc
func (e *Engine) letRun(now time.Duration) bool {
	r := &e.idleState
	r.several = r.several || r.woke > 1
	yielded := e.handOn()
	r.policy.contended = tally(r.policy.contended, yielded)
	back := clock.Now()
	took := back - now
	if r.let = back + max(0, 2*took-askAfter); took >= longSleep {
		r.let = back + memory*took
	}
	if yielded {
		r.ticked, r.yielded, r.passed = back, back, back
	}
	return yielded
}

// idle returns when there may be something to take, or the queue has been closed.
//
//threadcall:noalloc
func (e *Engine) idle() {
	e.q.Awake()
	r := &e.idleState
	if r.uncalled++; r.uncalled <= memory && e.spin() {
		return
	}
	e.park(e.stopSpinning())
}

// spin looks at the queue, if that pays, and is true if something may have come.
//
//threadcall:noalloc
func (e *Engine) spin() bool {
	r := &e.idleState
	p := &r.policy
	woke := r.woke
	r.woke = 0
	if woke > 1 {
		r.several = true
	}
	if woke == 1 { // a lone caller, which needs a P and may get it from this thread
		if r.spins {
			p.periods(p.lookFor(), 1)
		} else if r.offered {
			p.earn(-time.Duration(e.waits.lost.Swap(0)))
		}
		return false
	}
	if !r.spins && !e.startSpinning() {
		return false
	}
	r.window.idles++
	for range firstLooks {
		if e.q.Pending() {
			r.found++
			return true
		}
		if sched.EndPass() {
			r.passed = r.ticked
		}
		park.Relax()
	}
	if !p.pays(true) {
		return false
	}
	start := clock.Now()
	for now, found := start, false; now-start <= p.lookFor(); {
		if sched.EndPass() {
			start, r.passed = now, now
		}
		for range looks {
			if found = e.q.Pending(); found {
				break
			}
			park.Relax()
		}
		last := now
		now = clock.Now()
		e.waits.away(last, now)
		if found {
			r.found++
			r.window.idle += now - start
			e.counts.idled(now - start)
			return true
		}
		if e.q.Closed() {
			return true
		}
	}
	e.counts.rest(start)
	p.periods(p.lookFor(), 1)
	return false
}

// dares reports whether the thread may try to spin: others do not want the cores, or the run is
// long.
//
//threadcall:noalloc
func (e *Engine) dares(now time.Duration) bool {
	others.sample(now, &e.load)
	return !others.crowded() || e.idleState.policy.run >= minRun
}

// affords reports whether to begin to spin: it pays, and there is a slot, and cores for all that
// have one.
//
//threadcall:noalloc
func (e *Engine) affords(now time.Duration) bool {
	if !e.idleState.policy.pays(false) || e.bubble != 0 || e.waits.parks || !e.dares(now) ||
		spinners.atOnce(now) < 2 {
		return false
	}
	e.idleState.outnumbered = false
	return spinners.take(&e.idleState.lease, now) || e.declines()
}

// offers reports whether to offer to spin: as affords, if the goroutines that run or are ready
// leave room for both sides, which is asked when the thread parks.
//
//threadcall:noalloc
func (e *Engine) offers(now time.Duration) bool {
	if !e.affords(now) {
		return false
	}
	r := &e.idleState
	r.wanted = tally(r.wanted, !e.load.Below(spinners.atOnce(now)+1))
	return r.wanted < believed || e.declines()
}

// declines is called when spinning pays, but others want the cores. So callers park: Gosched would
// keep a P from others.
//
//threadcall:noalloc
func (e *Engine) declines() bool {
	r := &e.idleState
	r.outnumbered, r.skips = true, memory
	if e.pool == nil || !r.brief() {
		e.waits.setSpin(parkAtOnce)
	}
	return false
}

// startSpinning makes callers look for their outcomes, if that pays and there is a slot.
//
//threadcall:noalloc
func (e *Engine) startSpinning() bool {
	r := &e.idleState
	if !r.policy.pays(false) { // before a look at the clock
		return false
	}
	now := clock.Now()
	if !e.affords(now) {
		return false
	}
	r.spins = true
	r.ticked, r.taken, r.up = now, 0, 0
	r.window = window{grabs: e.q.Grabs()}
	r.every = 1                      // of calls that park it says nothing
	r.passed = now - yieldAllAfter/2 // it may have taken a P with timers
	r.before = r.found
	e.waits.spin.Store(int64(r.policy.lookFor()))
	return true
}

// stopSpinning makes callers park, and takes back what park has offered. It returns the time, or
// zero if the thread did not spin.
//
//threadcall:noalloc
func (e *Engine) stopSpinning() (now time.Duration) {
	r := &e.idleState
	e.waits.offer.Store(0)
	if !r.spins {
		return 0
	}
	e.waits.spin.Store(min(e.waits.spin.Load(), 0))
	r.leave()
	r.spins = false
	now = clock.Now()
	r.policy.earn(time.Duration(r.found-r.before)*r.policy.price -
		time.Duration(e.waits.lost.Swap(0)))
	return now
}

// park waits in the Go scheduler, and measures what decides about spinning. down is the time, if it
// is known.
//
//threadcall:noalloc
func (e *Engine) park(down time.Duration) {
	r := &e.idleState
	p := &r.policy
	e.endYields()
	if down == 0 {
		down = clock.Now()
	}
	e.counts.rest(down)
	if e.bubble != 0 {
		e.sleep(down)
		return
	}
	if r.sleeps == 0 {
		spinners.atOnce(down) // so that it is known when it matters
		r.shared = down
	} else if down-r.shared >= r.share(down) {
		e.handOn()
		down = clock.Now()
		r.shared = down
	}
	// Times cost four readings of the clock, and two cache lines that callers write for the thread.
	r.skips = max(r.skips-1, 0)
	timed := !e.waits.parks && r.uncalled <= memory && r.skips == 0
	if timed != e.waits.timed.Load() {
		e.waits.timed.Store(timed)
	}
	r.offered = timed && e.offers(down)
	up, now := r.up, e.rest(down)
	if !timed {
		r.up = 0
		return
	}
	pushed := time.Duration(e.waits.pushed.Load())
	if r.offered && pushed > down {
		e.waits.away(pushed, now)
	}
	if up != 0 && pushed > down && pushed < now { // else it was not a caller, or in a bubble
		work := down - up + pushed - max(down, time.Duration(e.waits.returned.Load()))
		p.periods(work, 1)
		if work <= maxPrice {
			p.paid(now - up - work)
			e.waits.price.Store(int64(p.price))
		}
	}
	r.up = now
}

// share is for how long the thread may sleep for short times only, see timeslice. One with several
// callers lets them run sooner: with one P, the caller that it has answered would run before them.
//
//threadcall:noalloc
func (r *idleState) share(now time.Duration) time.Duration {
	if now-r.together < togetherFor {
		return yieldAllAfter
	}
	return timeslice
}

// A window is what a thread has seen since it last advised its callers.
type window struct {
	calls int
	time  time.Duration // that they and the waits for them took
	grabs uint64        // of the queue, when the window began
	idles int           // how often the queue was empty
	idle  time.Duration // for how long, if for longer than the first looks
}

// advise says how callers wait that find the thread up. A caller waits for the calls before it, the
// running one included, and for its own: n times the mean time of a call. If all of them look
// meanwhile, a call costs each of them that time of one call; if they park, it costs the wake-up
// of one of them, half of W. Among many callers it is a quarter of W, because Ps look for work
// already: with half, 16 callers of 3 µs on 16 cores take 2.5 times the channel's CPU time. free is
// for how many threads more there are cores; it is counted if that is negative.
//
//threadcall:noalloc
func (e *Engine) advise(now time.Duration, calls, free int) {
	r := &e.idleState
	w := &r.window
	w.calls += calls
	w.time += now - r.ticked
	grabs := int(e.q.Grabs() - w.grabs)
	if grabs == 0 || e.pool != nil { // more were queued at once; those of a pool are not
		return
	}
	n := (w.calls + grabs/2) / grabs
	if 2*w.idles < grabs {
		n++ // calls come while another runs
	}
	each := (w.time - w.idle) / time.Duration(w.calls)
	worth := r.policy.price / 2
	if n > 1 {
		worth /= 2
	}
	spin := int64(0)
	switch {
	case n > 1 && each >= worth, r.outnumbered && !r.spins:
		spin = parkAtOnce
	case !r.spins || time.Duration(n)*each >= worth:
	case n == 1 || spinners.turns():
		spin = int64(r.policy.lookFor())
	default:
		if free < 0 {
			free = spinners.free(now)
		}
		if n+1 <= 2*(1+free) { // each needs a core
			spin = int64(r.policy.lookFor())
		}
	}
	e.waits.setSpin(spin)
	*w = window{grabs: e.q.Grabs()}
}

// rest is sleep, but first says how the caller that wakes the thread waits. Without runLast, 16
// callers next to goroutines that compute have a tenth of the calls; without awaited, 64 callers
// that sleep 1 ms have nine tenths.
//
//threadcall:noalloc
func (e *Engine) rest(down time.Duration) (now time.Duration) {
	r := &e.idleState
	if r.several {
		r.several, r.together = false, down
	}
	several := down-r.together < togetherFor && r.uncalled <= memory
	switch {
	case r.offered:
		e.waits.offer.Store(meets)
	case several && r.awaited >= believed:
		e.waits.offer.Store(runLast)
	}
	if now = e.sleep(down); several {
		r.awaited = tally(r.awaited, !e.load.Below(spinners.atOnce(now)+1))
	}
	return now
}

// sleep waits in the Go scheduler from down to now.
//
//threadcall:noalloc
func (e *Engine) sleep(down time.Duration) (now time.Duration) {
	if e.labels.name != nil { // a function may have set others
		e.setLabels(e.labels.now)
	}
	e.mode.Store(inScheduler)
	if e.q.Rest() {
		for e.q.Resting() && !isClosed(e.cancel) {
			<-e.wakeup //threadcall:alloc the runtime's sudog, when its caches are empty
		}
	}
	e.mode.Store(up)
	r := &e.idleState
	r.sleeps++
	now = clock.Now()
	e.counts.work(now)
	if now-down >= longSleep {
		r.shared, r.policy.contended = now, 0
	}
	r.ticked, r.yielded, r.passed, r.taken = now, now, now, 0
	r.let = max(r.let, now)
	r.window = window{grabs: e.q.Grabs()}
	return now
}
