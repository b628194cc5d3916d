package engine

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/park"
)

// This file is the thread's side of waiting; wait.go has the callers'. A thread that has run out of calls goes
// through up to three stages, each cheaper to stay in and dearer to leave:
//
//	spin       as long as waits of late have ended while spinning, and at most maxSpin. Bursts earn spinning, lone
//	           calls lose it. If the thread shares its core with its caller, spinning takes the time that the
//	           caller needs: then it yields, or moves to another core if it expects many calls.
//	nap        in a system call, holding its P (see park.Sleeper): a wake-up costs one futex call and disturbs
//	           nobody. Only while nobody wants the P, for few threads at once, and not for long.
//	sleep      in the Go scheduler, as a goroutine that waits on a channel does. It costs nothing, and is where
//	           the thread goes at once if others want its P.
const (
	threadHot = 50 // spins without a look at the clock
	minSpin   = 1 * time.Microsecond
	maxSpin   = 60 * time.Microsecond // about what a sleep and a wake-up across cores cost

	firstNap = 200 * time.Microsecond  // between two looks whether somebody wants the P
	nextNap  = 2500 * time.Microsecond // after another P was seen idle
	fullNap  = 1 * time.Millisecond    // while none is
	minNap   = 5 * time.Millisecond
	maxNap   = 20 * time.Millisecond // longer than a frame

	minBusy = 10 * time.Millisecond // for how long a full scheduler is believed to stay full, at first
	maxBusy = time.Second
	freeFor = 50 * time.Millisecond // and one that is not

	silence  = 500 * time.Microsecond // between one burst of calls and the next
	manyFor  = 8                      // calls that pay for a move to another core, see park.Reschedule
	maxMoves = 10

	turn      = 10 * time.Millisecond // the scheduler's time slice
	turnCalls = 16                    // few calls keep nobody waiting
)

// multicore is whether a thread can run while another spins.
var multicore = runtime.NumCPU() > 1 && runtime.GOARCH != "wasm"

var nappers atomic.Int32

// rest is what the thread has learnt about its waits.
type rest struct {
	load park.Load

	spin, nap time.Duration // how long each stage may take
	fresh     bool          // the thread has just been woken
	woke      bool          // it has woken a caller, who may still wait for its P
	single    bool          // there was one P only

	calls    int // since the last silence, about
	expected int // between two silences, lately
	together int // calls answered from the caller's core since the last silence, or move
	moves    int

	busyUntil, busyFor time.Duration // every P was busy
	freeUntil          time.Duration // one was not

	turnUntil time.Duration // see endTurn
	turnCalls int
}

// idle returns when there may be something to take, or the queue has been closed.
//
//threadcall:noalloc
func (e *Engine) idle() {
	r := &e.rest
	e.q.Rise()
	if !multicore || e.bubbled || r.single && runtime.GOMAXPROCS(0) == 1 {
		e.sleep(park.Now())
		return
	}
	hot := threadHot
	if r.fresh && e.line.together() {
		hot = 1 // the caller needs the core to see its result
	}
	r.fresh = false
	for range hot {
		if e.q.Pending() {
			r.calls++
			r.spin = min(r.spin+minSpin/8, maxSpin)
			return
		}
		park.Pause()
	}
	if e.q.Closed() {
		return
	}
	r.calls++
	start := park.Now()
	if r.single = runtime.GOMAXPROCS(0) == 1; r.single {
		e.sleep(start)
		return
	}
	if start < r.busyUntil {
		if _, wanted := r.load.Read(); wanted {
			e.sleep(start)
			return
		}
	}
	if e.spin(start) || e.letCallerGo(start) || e.nap(start) {
		return
	}
	e.sleep(start)
}

// spin is the first stage. It returns true if something has come.
//
//threadcall:noalloc
func (e *Engine) spin(start time.Duration) bool {
	r := &e.rest
	limit := max(r.spin, minSpin)
	cpu := park.CPU()
	e.line.thread.Store(int32(cpu))
	if e.line.together() && !park.Crowded(start) {
		r.together++
		if r.together >= manyFor<<r.moves || r.moves == 0 && r.expected >= manyFor {
			// The kernel may leave them together, or bring them together again. Each further move must have been waited
			// for twice as long.
			e.line.thread.Store(int32(park.Reschedule()))
			start = park.Now()
			r.together = 0
			r.moves = min(r.moves+1, maxMoves)
			limit = maxSpin
		} else {
			park.Yield()
			park.Gap(start, park.Now())
			limit = minSpin
		}
	}
	for last := start; last-start <= limit; {
		if park.CanYield && cpu == unknown && !park.Crowded(last) {
			park.Yield() // the caller may be on the same core
		}
		for range threadHot {
			if e.q.Pending() {
				r.spin = min(r.spin*2+2*minSpin, maxSpin)
				return true
			}
			park.Pause()
		}
		now := park.Now()
		park.Gap(last, now)
		last = now
		if e.q.Closed() {
			return true
		}
	}
	r.spin /= 2
	return false
}

// letCallerGo gives the P to a caller that the thread has woken, and which the scheduler has put in the P's queue, where
// it would stay as long as the thread naps, unless another P had nothing to do and took it. It returns true if
// something has come.
func (e *Engine) letCallerGo(start time.Duration) bool {
	r := &e.rest
	if !r.woke || !park.CanSleep() {
		return false
	}
	r.woke = false
	runtime.Gosched()
	if now := park.Now(); now-start > fullNap {
		r.foundBusy(now) // others were before us
	}
	return e.q.Pending() || e.q.Closed()
}

// foundBusy believes for a while, and for longer each time, that others want the P.
func (r *rest) foundBusy(now time.Duration) {
	r.busyFor = min(max(r.busyFor*2, minBusy), maxBusy)
	r.busyUntil = now + r.busyFor
}

// nap is the second stage. It returns true if the thread was woken.
//
//threadcall:noalloc
func (e *Engine) nap(start time.Duration) bool {
	r := &e.rest
	if !park.CanSleep() {
		return false
	}
	defer nappers.Add(-1)
	if nappers.Add(1) > int32(max(1, runtime.GOMAXPROCS(0)/4)) {
		return false
	}
	e.mode.Store(inFutex)
	e.line.thread.Store(unknown)
	if !e.q.Rest() {
		e.mode.Store(up)
		return true
	}
	length := firstNap
	if start < r.freeUntil {
		length = nextNap
	}
	r.nap = max(r.nap, minNap)
	for {
		e.bed.Arm()
		if !e.q.Resting() {
			break
		}
		e.bed.Sleep(length)
		if !e.q.Resting() {
			break
		}
		now := park.Now()
		full, wanted := r.load.Read()
		switch {
		case wanted:
			r.foundBusy(now)
		case !full:
			r.busyFor = 0
			r.freeUntil = now + freeFor
			length = nextNap
		}
		if wanted || full && now-start > fullNap || now-start > r.nap {
			if !full {
				r.nap /= 2
			}
			e.q.Rise()
			return false
		}
	}
	r.nap = min(r.nap*2, maxNap)
	e.mode.Store(up)
	e.line.thread.Store(int32(park.CPU()))
	r.fresh = true
	e.woken(park.Now() - start)
	return true
}

// sleep is the last stage.
//
//threadcall:noalloc
func (e *Engine) sleep(start time.Duration) {
	start = e.rest.endTurn(start)
	e.mode.Store(inScheduler)
	if e.q.Rest() {
		for e.q.Resting() {
			<-e.bell //threadcall:alloc the runtime's sudog, when its caches are empty
		}
	}
	e.mode.Store(up)
	waited := park.Now() - start
	if waited < maxNap {
		e.rest.nap = maxNap // a nap would have done
	}
	e.woken(waited)
}

// endTurn lets the others of the P run if the thread and its callers have had it for long, and returns the time.
//
// Two goroutines that wake each other run before all others of their P, until the time slice that they share ends. But
// if one of them is locked to its thread, each wake-up begins a new slice, and the others never run (seen with one P and
// Go 1.26). So the thread ends its turn by itself, when its caller has been woken and does not wait for that.
//
//threadcall:noalloc
func (r *rest) endTurn(now time.Duration) time.Duration {
	if r.turnCalls++; r.turnCalls < turnCalls || now < r.turnUntil {
		return now
	}
	runtime.Gosched()
	now = park.Now()
	r.turnUntil, r.turnCalls = now+turn, 0
	return now
}

// woken learns from a wait that spinning did not end.
func (e *Engine) woken(waited time.Duration) {
	r := &e.rest
	if waited < 2*maxSpin {
		r.spin = maxSpin // it should have
	}
	if waited > silence {
		r.expected = (r.expected + r.calls + 1) / 2
		r.calls, r.together, r.moves = 0, 0, 0
	}
}
