package read

import (
	"cmp"
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// workers are the threads.
type workers struct {
	list   []*worker
	of     map[xtrace.ThreadID]int32
	seen   int // that have run a goroutine
	busy   int
	most   int // busy
	sights report.Curve
	busies report.Curve
}

// A worker is a thread.
type worker struct {
	id               xtrace.ThreadID
	first            time.Duration
	seen, busy       bool
	running, syscall time.Duration
	runs, syscalls   report.Shares
	executions       uint64
	only             xtrace.GoID // zero before it has run one, NoGoroutine if several
	tenancy          tenancy     // see locked.go
	best             report.LockedThread
	bestFunction     int32
}

func (w *workers) init() { w.of = map[xtrace.ThreadID]int32{} }

// number returns the number of a thread, which is new with its first event.
func (w *workers) number(id xtrace.ThreadID, now time.Duration) int32 {
	if id == xtrace.NoThread {
		return -1
	}
	n, ok := w.of[id]
	if !ok {
		n = int32(len(w.list))
		w.of[id] = n
		w.list = append(w.list, &worker{id: id, first: now})
	}
	return n
}

// occupy records that a thread runs a goroutine, until release.
func (w *workers) occupy(n int32, now time.Duration) {
	if n < 0 {
		return
	}
	t := w.list[n]
	if !t.seen {
		t.seen = true
		w.seen++
		w.sights.Add(now, float64(w.seen))
	}
	if !t.busy {
		t.busy = true
		w.busy++
		w.most = max(w.most, w.busy)
		w.busies.Add(now, float64(w.busy))
	}
}

func (w *workers) release(n int32, now time.Duration) {
	if n >= 0 && w.list[n].busy {
		w.list[n].busy = false
		w.busy--
		w.busies.Add(now, float64(w.busy))
	}
}

// spent records the time of a thread in a goroutine or in a system call of it.
func (w *workers) spent(n int32, from, to time.Duration, syscall bool) {
	if n < 0 {
		return
	}
	t := w.list[n]
	t.first = min(t.first, from)
	if syscall {
		t.syscall += to - from
		t.syscalls.Add(from, to)
	} else {
		t.running += to - from
		t.runs.Add(from, to)
	}
}

// maxBusiest limits the threads in a report.
const maxBusiest = 32

func (s *scheduler) threads(end time.Duration) report.Threads {
	w := &s.workers
	r := report.Threads{
		Seen: w.sights.Series(end, 0), Busy: w.busies.Series(end, 0), Total: uint64(w.seen), Peak: uint64(w.most),
		Busiest: []report.Thread{},
	}
	busiest := slices.DeleteFunc(slices.Clone(w.list), func(t *worker) bool { return !t.seen })
	slices.SortStableFunc(busiest, func(a, b *worker) int { return cmp.Compare(b.running, a.running) })
	for _, t := range busiest[:min(len(busiest), maxBusiest)] {
		r.Busiest = append(r.Busiest, report.Thread{
			ID: int64(t.id), First: t.first, Running: t.running, Syscall: t.syscall,
			Idle: max(0, end-t.first-t.running-t.syscall), Executions: t.executions, Only: max(0, int64(t.only)),
			Timeline: t.timeline(end),
		})
	}
	return r
}

func (t *worker) timeline(end time.Duration) (l report.Timeline) {
	l.Step, l.Running = t.runs.Steps(end)
	_, l.Syscall = t.syscalls.Steps(end)
	return l
}
