package trace

import (
	"testing"
	"time"

	xtrace "golang.org/x/exp/trace"
)

// What the scheduler does with a goroutine, again and again, and whether that shows that it is locked.
func TestWhatShowsThatAGoroutineIsLocked(t *testing.T) {
	const on, other = 0, 1 // threads
	type round struct {
		why      Why
		syscall  bool
		pStopped time.Duration // after the goroutine was ready
		pBy      int32
		byLocked bool
		world    time.Duration // stopped, after it was ready
	}
	for _, c := range []struct {
		what   string
		round  round
		locked bool
	}{
		{"another thread gives up its P for it", round{why: Channel, pStopped: 5, pBy: other, world: -5}, true},
		{"a locked thread gives up its P and sleeps", round{why: Channel, pStopped: 5, pBy: other, byLocked: true, world: -5}, false},
		{"it takes a P that was idle", round{why: Channel, pStopped: -5, pBy: other, world: -5}, false},
		{"its thread gave up the P before", round{why: Channel, pStopped: 5, pBy: on, world: -5}, false},
		{"the P was taken from a system call", round{why: Channel, pStopped: 5, pBy: -1, world: -5}, false},
		{"the world was stopped meanwhile", round{why: Channel, pStopped: 5, pBy: other, world: 3}, false},
		{"it was preempted", round{why: Preempted, pStopped: 5, pBy: other, world: -5}, false},
		{"it was in a system call", round{why: Syscall, syscall: true, pStopped: 5, pBy: other, world: -5}, false},
	} {
		var w workers
		w.init()
		w.number(xtrace.ThreadID(100), 0)
		w.number(xtrace.ThreadID(101), 0)
		if c.round.byLocked {
			w.list[other].tenancy = tenancy{by: 8, handed: probably}
		}
		g := &goroutine{id: 7, thread: -1}
		now := time.Duration(0)
		for range minHanded + 1 { // of the first execution nothing is known
			now += 100
			g.why = c.round.why
			g.ready = ready{at: now, syscall: c.round.syscall}
			p := proc{stopped: now + c.round.pStopped, by: c.round.pBy}
			w.tenant(g, on, p, now+c.round.world, now+10)
			g.thread = on
		}
		w.left(g, now+50)
		if locked := w.list[on].best.Goroutine == 7; locked != c.locked {
			t.Errorf("%s: taken for locked: %v", c.what, locked)
		}
	}
}

func TestALockedThreadIsKnownUntilItRunsSomethingElse(t *testing.T) {
	var w workers
	w.init()
	w.number(xtrace.ThreadID(100), 0)
	w.number(xtrace.ThreadID(101), 0)
	run := func(g *goroutine, on int32, now time.Duration) {
		g.ready = ready{at: now}
		w.tenant(g, on, proc{stopped: now + 1, by: 1 - on}, -1, now+2)
		g.thread = on
	}
	before, locked := &goroutine{id: 1, thread: -1}, &goroutine{id: 2, thread: -1}
	run(before, 0, 100)
	for now := time.Duration(200); now < 1400; now += 100 {
		run(locked, 0, now)
	}
	run(before, 0, 1400) // it is unlocked
	run(locked, 1, 1500)
	b := w.list[0].best
	if b.Goroutine != 2 || b.Thread != 100 || b.Since != 202 || b.Until != 1402 || b.Executions != 12 || b.Idle != 1200 {
		t.Errorf("%+v", b)
	}
	if w.list[1].best.Goroutine != 0 {
		t.Errorf("one execution is taken for %+v", w.list[1].best)
	}
	if w.list[0].only != xtrace.NoGoroutine || w.list[1].only != 2 {
		t.Errorf("ran only %d and %d", w.list[0].only, w.list[1].only)
	}
}
