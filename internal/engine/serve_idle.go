package engine

import (
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/internal/sched"
	"github.com/threadcall/threadcall/internal/spin"
)

// This file is the thread's side of waiting; wait.go has the callers', package spin the states and
// the choice.
const (
	// a thread that always has calls reads the clock as often, roughly, and after so many calls at the
	// latest
	tick, maxCalls = yieldAfter / 5, spin.Memory * spin.Memory

	unheardFor = time.Millisecond // for which no caller has yielded, as there are only posts

	// Two goroutines that wake each other are each the next to run on their P, and share one timeslice
	// of Go's scheduler. But a locked one begins a new timeslice each time, so that with one P others
	// would wait for ever. So a thread that has slept for short times only for so long lets them run;
	// sooner if it has several callers: the one that it has answered would run before the others.
	timeslice = 10 * time.Millisecond
	longSleep = timeslice / 10
)

// idleState is what the thread knows about its waits. Only the thread uses it.
type idleState struct {
	woke    int           // callers that were parked, since the thread was last idle or let others run
	taken   int           // calls since ticked
	calls   uint          // awaited ones until then
	every   int           // calls from one tick to the next
	ticked  time.Duration // when the thread has last read the clock; zero before it has
	yielded time.Duration // when callers were last told to yield, or the thread or a caller parked
	passed  time.Duration // when one has yielded for all Ps, or parked, or the thread itself
	let     time.Duration // when it has last slept or asked, see letRun; later after long yields
	shared  time.Duration // when it has last slept for long, or let others run, see timeslice
	asked   time.Duration // when it has last asked whether to let others run earlier, see share
	sleeps  int           // how often it was parked

	spin.Thread
}

// idle returns when there may be something to take, or the queue has been closed.
//
//threadcall:noalloc
func (e *Engine) idle() {
	e.q.Awake()
	r := &e.idleState
	if r.Uncalled++; r.Uncalled <= spin.Memory && e.spin() {
		return
	}
	e.park(r.Stop())
}

// park waits in the Go scheduler. down is the time, if it is known.
//
//threadcall:noalloc
func (e *Engine) park(down time.Duration) {
	r := &e.idleState
	e.endYields()
	if down == 0 {
		down = clock.Now()
	}
	e.Counts.Rest(down)
	if e.bubble != 0 {
		e.sleep(down)
		return
	}
	if r.sleeps == 0 {
		spin.Spinners.AtOnce(down) // so that it is known when it matters
		r.shared = down
	} else if e.share(down) {
		down = clock.Now()
		r.shared = down
	}
	r.Parks(down, e.pool != nil && r.brief())
	r.Woken(down, e.sleep(down))
}

// share lets others run at the end of a timeslice, and is true then. If the thread has several
// callers, it asks also before: it is true if more than twice as many goroutines as Ps run or wait
// for one, and have been let run. That takes two changes of threads: if it yielded whenever one
// waits, 2 callers of 2 threads in turn would take 1.15 times the CPU time.
//
//threadcall:noalloc
func (e *Engine) share(down time.Duration) bool {
	r := &e.idleState
	ends := down-r.shared >= timeslice
	if !ends && (down-max(r.shared, r.asked) < yieldAllAfter || !r.Together(down)) {
		return false
	}
	r.asked = down
	ps := spin.Spinners.AtOnce(down)
	if !ends && ps > 1 {
		ps *= 2
	}
	return e.handOn(ps) || ends
}

// sleep waits in the Go scheduler from down to now.
//
//threadcall:noalloc
func (e *Engine) sleep(down time.Duration) (now time.Duration) {
	if e.Name != "" { // a function may have set other labels
		e.Labels.Set(e.Labels.Now)
	}
	mode := uint32(inScheduler)
	if e.idleState.AsksWhen() {
		mode = asksWhen
	}
	e.waitsIn(mode)
	if e.q.Rest() {
		for e.q.Resting() && !isClosed(e.cancel) {
			<-e.wakeup //threadcall:alloc the runtime's sudog, when its caches are empty
		}
	}
	if e.onWake.Load() != nil {
		e.waitsIn(up)
	}
	r := &e.idleState
	r.sleeps++
	now = clock.Now()
	e.Counts.Work(now)
	if now-down >= longSleep {
		r.shared, r.Policy.Contended = now, 0
	}
	r.ticked, r.yielded, r.passed, r.taken = now, now, now, 0
	r.let = max(r.let, now)
	r.Window = spin.Window{Grabs: e.q.Grabs()}
	return now
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

// spin looks at the queue, if that pays, and is true if something may have come.
//
//threadcall:noalloc
func (e *Engine) spin() bool {
	r := &e.idleState
	p := &r.Policy
	woke := r.woke
	if r.woke = 0; r.Lone(woke) {
		return false
	}
	if !r.Spins && !e.startSpinning() {
		return false
	}
	r.Window.Idles++
	core := e.waits.Core.Load()
	for range spin.FirstLooks {
		if e.q.Pending() {
			r.Found++
			return true
		}
		if core == spin.Shares {
			break
		}
		if sched.EndPass() {
			r.passed = r.ticked
		}
		park.Relax()
	}
	if !p.Pays(true) {
		return false
	}
	start := clock.Now()
	for now, found := start, false; now-start <= p.LookFor(); {
		if sched.EndPass() {
			start, r.passed = now, now
		}
		if core != spin.Own {
			r.YieldCore()
		}
		for range spin.Looks {
			if found = e.q.Pending(); found {
				break
			}
			park.Relax()
		}
		last := now
		now = clock.Now()
		if !e.waits.Away(last, now) && core != spin.Own {
			r.Yielded(now-last, found)
		}
		if found {
			r.Found++
			r.Window.Idle += now - start
			e.Counts.Idled(now - start)
			return true
		}
		if e.q.Closed() {
			return true
		}
	}
	e.Counts.Rest(start)
	p.Periods(p.LookFor(), 1)
	return false
}

// startSpinning makes callers look for their outcomes, if that pays and there is a slot.
//
//threadcall:noalloc
func (e *Engine) startSpinning() bool {
	r := &e.idleState
	if !r.Policy.Pays(false) { // before a look at the clock
		return false
	}
	now := clock.Now()
	if !r.Starts(now, e.q.Grabs(), e.pool != nil && r.brief()) {
		return false
	}
	r.ticked, r.taken = now, 0
	r.every = 1                      // of calls that park it says nothing
	r.passed = now - yieldAllAfter/2 // it may have taken a P with timers
	return true
}

// tick is called when the thread knows the time. Callers that have kept their Ps for long yield.
//
//threadcall:noalloc
func (e *Engine) tick(now time.Duration) {
	r := &e.idleState
	n := r.taken + 1
	r.taken = 0
	// or it would yield after its first call, or by the clock of a bubble, which is years ahead
	if r.ticked == 0 || e.bubble != 0 {
		r.ticked, r.yielded, r.passed, r.let = now, now, now, now
		e.Counts.At.Store(int64(now))
		return
	}
	each := (now - r.ticked) / time.Duration(n)
	if r.Spins {
		r.Policy.Periods(each, n)
		if !r.Renew(now) && !spin.Spinners.Take(&r.Lease, now) { // a function has run for long
			r.Stop()
		}
	}
	if e.pool == nil { // its queue says nothing of what waits in the backlog
		if callers := r.Advise(now, now-r.ticked, n, e.q.Grabs()); callers > 0 {
			e.q.Several(callers > 1)
		}
	}
	e.Counts.At.Store(int64(now))
	r.every = int(min(max(tick/max(each, 1), 1), maxCalls))
	r.ticked = now
	// while callers park at once, other Ps are free to take what waits for this one
	if now-r.let >= askAfter && e.waits.Spin.Load() != spin.ParkAtOnce && e.letRun(now) {
		return
	}
	after := yieldAfter
	if e.Counts.Calls == r.calls {
		after = yieldPosts
	}
	r.calls = e.Counts.Calls
	switch kind := e.yields.kind.Load(); {
	case kind != yieldThread && now-r.yielded < after:
	case kind == yieldThread, kind != 0 && now-r.passed >= unheardFor:
		e.yields.kind.Store(0)
		runtime.Gosched()
		back := clock.Now()
		r.ticked, r.yielded, r.passed = back, back, back
	case r.Load.Free(spin.Spinners.AtOnce(now)):
		r.yielded = now
	case now-r.passed >= yieldAllAfter:
		r.yielded = now
		e.yields.kind.Store(yieldAll)
	default:
		r.yielded = now
		e.yields.kind.Store(yieldOwn)
	}
}

// letRun yields if goroutines wait for a P and none is free, and is true if it has. Callers that
// the thread has woken wait in the queue of its P: without letRun, with two Ps, the p99 of 4 and 16
// callers of 3 µs is two to three times the channel's. If a P is free it takes them: if the thread
// yields nevertheless, on 16 cores, 2 callers of 3 µs have 0.7 times the calls. The longer a yield
// took, the later the next is due. After a millisecond, the thread was behind goroutines that
// compute.
//
//threadcall:noalloc
func (e *Engine) letRun(now time.Duration) bool {
	r := &e.idleState
	r.Several = r.Several || r.woke > 1
	yielded := e.handOn(spin.Spinners.AtOnce(now))
	r.Policy.Contend(yielded)
	back := clock.Now()
	took := back - now
	if r.let = back + max(0, 2*took-askAfter); took >= longSleep {
		r.let = back + spin.Memory*took
	}
	if yielded {
		r.ticked, r.yielded, r.passed = back, back, back
	}
	return yielded
}

// brief reports whether functions, with what is done beside them, take less than 2 µs.
func (r *idleState) brief() bool { return r.every > int(tick/(2*time.Microsecond)) }
