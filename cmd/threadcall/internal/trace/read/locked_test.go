package read

import (
	"testing"
	"time"

	xtrace "golang.org/x/exp/trace"
)

// What the scheduler does with a goroutine, again and again, and whether that shows that it is locked.
func TestWhatShowsThatAGoroutineIsLocked(t *testing.T) {
	const on, other = 0, 1 // threads
	type round struct {
		why      string
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
		{"another thread gives up its P for it", round{why: "channel", pStopped: 5, pBy: other, world: -5}, true},
		{"a locked thread gives up its P and parks", round{why: "channel", pStopped: 5, pBy: other, byLocked: true, world: -5}, false},
		{"it takes a P that was idle", round{why: "channel", pStopped: -5, pBy: other, world: -5}, false},
		{"its thread gave up the P before", round{why: "channel", pStopped: 5, pBy: on, world: -5}, false},
		{"the P was taken from a system call", round{why: "channel", pStopped: 5, pBy: -1, world: -5}, false},
		{"the world was stopped meanwhile", round{why: "channel", pStopped: 5, pBy: other, world: 3}, false},
		{"it was preempted", round{why: preempted, pStopped: 5, pBy: other, world: -5}, false},
		{"it was in a system call", round{why: inSyscall, syscall: true, pStopped: 5, pBy: other, world: -5}, false},
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
