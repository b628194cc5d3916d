package read

import (
	"cmp"
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A tenancy is the time for which a thread runs one goroutine only, which runs on no other thread.
//
// The scheduler never makes the thread of a locked goroutine look for work. When such a goroutine is ready, another
// thread finds it, gives up its P for it, and wakes its thread. So the P of each execution was given up by another
// thread after the goroutine became ready; it is handed over. An unlocked goroutine starts on the P that found it,
// or on one that was idle before. But it may get the P of a locked thread that made it ready and then parked; the
// thread of a locked goroutine never gets that.
type tenancy struct {
	by               xtrace.GoID // zero if there is none
	function         int32
	since            time.Duration
	executions       uint64
	handed           uint64
	strange          uint64        // executions that do not look like those of a locked goroutine
	running, syscall time.Duration // of the thread, before since
	waits            []report.Wait
	calls            uint64
	serving          time.Duration
}

// minHanded is the number of executions on a P that was handed over from which on a thread is taken for locked. From
// probably on, its own P is not taken for handed over.
const (
	minHanded = 10
	probably  = 3
)

func (n *tenancy) isLocked(handed uint64) bool {
	return n.by != 0 && (n.calls > 0 || n.handed >= handed)
}

// tenant records that g begins an execution on a thread with the P p. An execution after the world was stopped, which
// moves Ps between threads, is no evidence; nor is one after a preemption, most of which are for that purpose.
func (w *workers) tenant(g *goroutine, on int32, p proc, stopped time.Duration, now time.Duration) {
	if on < 0 {
		return
	}
	if g.thread != on {
		w.left(g, now)
	}
	t := w.list[on]
	t.executions++
	switch t.only {
	case 0:
		t.only = g.id
	case g.id:
	default:
		t.only = xtrace.NoGoroutine
	}

	n := &t.tenancy
	switch {
	case n.by != g.id:
		t.vacate(now)
		t.let(g, now)
	case g.ready.syscall: // it takes any idle P
	case g.why == preempted, g.why == handOff, stopped >= g.ready.at:
	case p.stopped > g.ready.at && p.by >= 0 && p.by != on && !w.list[p.by].tenancy.isLocked(probably):
		n.handed++
	case n.calls > 0:
	case n.handed >= minHanded && n.strange*20 < n.executions:
		n.strange++
	default:
		t.vacate(now)
		t.let(g, now)
	}
	t.tenancy.executions++
}

func (t *worker) let(to *goroutine, now time.Duration) {
	t.tenancy = tenancy{by: to.id, function: to.function, since: now, running: t.running, syscall: t.syscall}
}

// left records that g does not run on its thread any more.
func (w *workers) left(g *goroutine, now time.Duration) {
	if g.thread >= 0 && w.list[g.thread].tenancy.by == g.id {
		w.list[g.thread].tenancy.function = g.function
		w.list[g.thread].vacate(now)
	}
}

// vacate ends a tenancy and keeps the thread's best.
func (t *worker) vacate(now time.Duration) {
	n := &t.tenancy
	if n.isLocked(minHanded) {
		running, syscall := t.running-n.running, t.syscall-n.syscall
		l := report.LockedThread{
			Thread: int64(t.id), Goroutine: int64(n.by), Evidence: report.HandedOver, Since: n.since, Until: now,
			Executions: n.executions, Running: running, Syscall: syscall, Idle: max(0, now-n.since-running-syscall),
			Waits: n.waits, Calls: n.calls, Serving: n.serving,
		}
		if n.calls > 0 {
			l.Evidence = report.ServesCalls
		}
		if t.best.Goroutine == 0 || better(l, t.best) < 0 {
			t.best, t.bestFunction = l, n.function
		}
	}
	t.tenancy = tenancy{}
}

func better(a, b report.LockedThread) int {
	return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(b.Until-b.Since, a.Until-a.Since))
}

// waited records that g waited, or was ready, since its last execution.
func (w *workers) waited(g *goroutine, reason string, length time.Duration) {
	if g.thread < 0 || w.list[g.thread].tenancy.by != g.id {
		return
	}
	n := &w.list[g.thread].tenancy
	i := slices.IndexFunc(n.waits, func(w report.Wait) bool { return w.Reason == reason })
	if i < 0 {
		i = len(n.waits)
		n.waits = append(n.waits, report.Wait{Reason: reason})
	}
	n.waits[i].N++
	n.waits[i].Time += length
}

// served records that g has run a function of threadcall, with the time if it was not within another one.
func (w *workers) served(g *goroutine, length time.Duration) {
	if g.thread >= 0 && w.list[g.thread].tenancy.by == g.id {
		w.list[g.thread].tenancy.calls++
		w.list[g.thread].tenancy.serving += length
	}
}

// maxLocked limits the locked threads in a report.
const maxLocked = 100

func (s *scheduler) locked(end time.Duration) []report.LockedThread {
	list := []report.LockedThread{}
	for _, t := range s.workers.list {
		if l := t.best; l.Goroutine != 0 {
			l.Function = s.functions.list[t.bestFunction].Name
			l.Timeline = t.timeline(end)
			l.Waits = append([]report.Wait{}, l.Waits...)
			slices.SortStableFunc(l.Waits, func(a, b report.Wait) int { return cmp.Compare(b.Time, a.Time) })
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, better)
	return list[:min(len(list), maxLocked)]
}
