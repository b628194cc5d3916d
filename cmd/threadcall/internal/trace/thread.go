package trace

import (
	"cmp"
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"
)

// workers are the threads.
type workers struct {
	list   []*worker
	of     map[xtrace.ThreadID]int32
	seen   int // that have run a goroutine
	busy   int
	most   int // busy
	sights series
	busies series
}

// A worker is a thread.
type worker struct {
	id               xtrace.ThreadID
	first            time.Duration
	seen, busy       bool
	running, syscall time.Duration
	runs, syscalls   shares
	executions       uint64
	only             xtrace.GoID // zero before it has run one, NoGoroutine if several
	tenancy          tenancy     // see locked.go
	best             LockedThread
	bestFunction     int32
}

func (w *workers) init() { w.of = map[xtrace.ThreadID]int32{} }

// number returns the thread's, which it gets when its first event is seen.
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

// occupy says that a thread runs a goroutine, until release.
func (w *workers) occupy(n int32, now time.Duration) {
	if n < 0 {
		return
	}
	t := w.list[n]
	if !t.seen {
		t.seen = true
		w.seen++
		w.sights.add(now, float64(w.seen))
	}
	if !t.busy {
		t.busy = true
		w.busy++
		w.most = max(w.most, w.busy)
		w.busies.add(now, float64(w.busy))
	}
}

func (w *workers) release(n int32, now time.Duration) {
	if n >= 0 && w.list[n].busy {
		w.list[n].busy = false
		w.busy--
		w.busies.add(now, float64(w.busy))
	}
}

// ran and syscalled say what a thread did.
func (w *workers) ran(n int32, from, to time.Duration) {
	if n >= 0 {
		t := w.list[n]
		t.first = min(t.first, from)
		t.running += to - from
		t.runs.add(from, to)
	}
}

func (w *workers) syscalled(n int32, from, to time.Duration) {
	if n >= 0 {
		t := w.list[n]
		t.first = min(t.first, from)
		t.syscall += to - from
		t.syscalls.add(from, to)
	}
}

// maxBusiest is how many threads are reported.
const maxBusiest = 32

func (s *scheduler) threads(end time.Duration) Threads {
	w := &s.workers
	r := Threads{
		Seen: w.sights.result(end, 0), Busy: w.busies.result(end, 0), Total: uint64(w.seen), Peak: uint64(w.most),
		Busiest: []Thread{},
	}
	busiest := slices.DeleteFunc(slices.Clone(w.list), func(t *worker) bool { return !t.seen })
	slices.SortStableFunc(busiest, func(a, b *worker) int { return cmp.Compare(b.running, a.running) })
	for _, t := range busiest[:min(len(busiest), maxBusiest)] {
		r.Busiest = append(r.Busiest, Thread{
			ID: int64(t.id), First: t.first, Running: t.running, Syscall: t.syscall,
			Idle: max(0, end-t.first-t.running-t.syscall), Executions: t.executions, Only: max(0, int64(t.only)),
			Timeline: t.timeline(end),
		})
	}
	return r
}

func (t *worker) timeline(end time.Duration) (l Timeline) {
	l.Step, l.Running = t.runs.result(end)
	_, l.Syscall = t.syscalls.result(end)
	return l
}
