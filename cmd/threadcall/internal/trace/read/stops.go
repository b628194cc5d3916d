package read

import (
	"cmp"
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// stops follows when the world was stopped, by the goroutine that stopped it.
type stops struct {
	all     report.Histogram
	reasons map[string]*ranges
	longest report.Top[report.Interval]
	last    time.Duration // when a stop began or ended
}

func (s *stops) init() {
	s.reasons = map[string]*ranges{}
	s.longest = report.Longest()
}

func (s *stops) span(now time.Duration, by xtrace.ResourceID, reason string, kind xtrace.EventKind) {
	s.last = now
	r := s.reasons[reason]
	if r == nil {
		r = &ranges{}
		s.reasons[reason] = r
	}
	if length, ok := r.follow(now, by, kind); ok && !tracesOwn(reason) {
		s.all.Add(uint64(length))
		s.longest.Offer(report.Interval{At: now - length, Length: length, What: reason})
	}
}

// tracesOwn reports whether the reason is the trace itself.
func tracesOwn(reason string) bool { return reason == "start trace" || reason == "stop trace" }

func (s *stops) report() report.Stops {
	rep := report.Stops{All: s.all.Distribution(), Reasons: []report.StopReason{}, Longest: report.InOrder(s.longest)}
	for reason, r := range s.reasons {
		if r.N() > 0 {
			rep.Reasons = append(rep.Reasons, report.StopReason{Reason: reason, Own: tracesOwn(reason), Times: r.Distribution()})
		}
	}
	slices.SortFunc(rep.Reasons, func(a, b report.StopReason) int {
		return cmp.Or(cmp.Compare(b.Times.Sum, a.Times.Sum), cmp.Compare(a.Reason, b.Reason))
	})
	return rep
}
