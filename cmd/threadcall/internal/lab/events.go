package main

import (
	"errors"
	"io"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"
)

// work is the name of the region in which a job does its work.
const work = "work"

// events are what the trace of a job has beyond the report of threadcall trace.
type events struct {
	total    time.Duration // of the work, from its begin to its end
	runnable time.Duration // in it: its goroutine was ready, but did not run
	sweeping time.Duration // in it: its goroutine swept for an allocation
	assists  time.Duration // in it: its goroutine marked for an allocation
	stopped  time.Duration // in it: the world was stopped
	cycles   time.Duration // in it: a collection was going on, from its begin to its end
	either   time.Duration // in it: runnable, sweeping, or stopped
	counted  time.Duration // in it: runnable, sweeping, or in a collection
	procs    int           // that ran goroutines meanwhile
	steps    series        // bytes by which the heap grew from one event to the next
}

// scan reads the trace of a job.
func scan(in io.Reader) (e events, err error) {
	r, err := xtrace.NewReader(in)
	if err != nil {
		return e, err
	}
	s := scanner{events: &e, worker: xtrace.NoGoroutine, procs: map[xtrace.ProcID]bool{}, active: map[string]int{}}
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return e, err
		}
		s.add(ev)
	}
	e.procs = len(s.procs)
	if e.total == 0 {
		return e, errors.New("the trace has no region of work")
	}
	return e, nil
}

type scanner struct {
	*events
	worker xtrace.GoID // while it is in its region
	ready  bool        // the worker is runnable
	last   xtrace.Time
	procs  map[xtrace.ProcID]bool
	active map[string]int // ranges, by the kind that matters here
	heap   uint64
}

func (s *scanner) add(ev xtrace.Event) {
	if s.worker != xtrace.NoGoroutine {
		s.pass(ev.Time().Sub(s.last))
	}
	s.last = ev.Time()
	switch ev.Kind() {
	case xtrace.EventRegionBegin:
		if ev.Region().Type == work {
			s.worker = ev.Goroutine()
			s.procs[ev.Proc()] = true
		}
	case xtrace.EventRegionEnd:
		if ev.Region().Type == work {
			s.worker = xtrace.NoGoroutine
		}
	case xtrace.EventStateTransition:
		st := ev.StateTransition()
		if st.Resource.Kind != xtrace.ResourceGoroutine {
			return
		}
		_, to := st.Goroutine()
		if to == xtrace.GoRunning && s.worker != xtrace.NoGoroutine {
			s.procs[ev.Proc()] = true
		}
		if st.Resource.Goroutine() == s.worker {
			s.ready = to == xtrace.GoRunnable
		}
	case xtrace.EventRangeBegin:
		s.active[s.kind(ev)]++
	case xtrace.EventRangeEnd:
		if k := s.kind(ev); s.active[k] > 0 {
			s.active[k]--
		}
	case xtrace.EventMetric:
		if m := ev.Metric(); m.Name == "/memory/classes/heap/objects:bytes" {
			if x := m.Value.Uint64(); s.worker != xtrace.NoGoroutine {
				if s.heap > 0 && x > s.heap {
					s.steps = append(s.steps, float64(x-s.heap))
				}
				s.heap = x
			}
		}
	}
}

const (
	sweepRange = "GC incremental sweep"
	markAssist = "GC mark assist"
	markPhase  = "GC concurrent mark phase"
	stopRange  = "stop-the-world"
)

// kind is the name of a range that concerns the worker, or "".
func (s *scanner) kind(ev xtrace.Event) string {
	switch r := ev.Range(); {
	case r.Name == markPhase:
		return markPhase
	case strings.HasPrefix(r.Name, stopRange) && !strings.Contains(r.Name, "trac"): // not those of the trace itself
		return stopRange
	case ev.Goroutine() == s.worker && (r.Name == sweepRange || r.Name == markAssist):
		return r.Name
	}
	return ""
}

// pass adds time of the work.
func (s *scanner) pass(d time.Duration) {
	s.total += d
	var lost bool
	for _, c := range []struct {
		now bool
		sum *time.Duration
	}{{s.ready, &s.runnable}, {s.active[sweepRange] > 0, &s.sweeping}, {s.active[stopRange] > 0, &s.stopped}} {
		if c.now {
			*c.sum += d
			lost = true
		}
	}
	cycle := s.active[markPhase] > 0 || s.active[stopRange] > 0
	if s.active[markAssist] > 0 {
		s.assists += d
	}
	if cycle {
		s.cycles += d
	}
	if lost {
		s.either += d
	}
	if lost || cycle {
		s.counted += d
	}
}
