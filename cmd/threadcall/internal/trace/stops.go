package trace

import (
	"cmp"
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"
)

// stops follows when the world was stopped.
type stops struct {
	since   map[xtrace.ResourceID]time.Duration // by the goroutine that has stopped it
	all     histogram
	reasons map[string]*histogram
	longest top[Interval]
	last    time.Duration // when one began or ended
}

func (s *stops) init() {
	s.since = map[xtrace.ResourceID]time.Duration{}
	s.reasons = map[string]*histogram{}
	s.longest = longest(maxIntervals)
}

func (s *stops) span(now time.Duration, by xtrace.ResourceID, reason string, kind xtrace.EventKind) {
	s.last = now
	length, ok := lasted(s.since, now, by, kind)
	if !ok {
		return
	}
	h := s.reasons[reason]
	if h == nil {
		h = &histogram{}
		s.reasons[reason] = h
	}
	h.add(length)
	if !tracesOwn(reason) {
		s.all.add(length)
		s.longest.offer(Interval{now - time.Duration(length), time.Duration(length), reason})
	}
}

// tracesOwn tells whether the world was stopped because there is a trace.
func tracesOwn(reason string) bool { return reason == "start trace" || reason == "stop trace" }

func (s *stops) report() Stops {
	r := Stops{All: s.all.distribution(), Reasons: []StopReason{}, Longest: inOrder(s.longest)}
	for reason, h := range s.reasons {
		r.Reasons = append(r.Reasons, StopReason{reason, tracesOwn(reason), h.distribution()})
	}
	slices.SortFunc(r.Reasons, func(a, b StopReason) int {
		return cmp.Or(cmp.Compare(b.Times.Sum, a.Times.Sum), cmp.Compare(a.Reason, b.Reason))
	})
	return r
}
