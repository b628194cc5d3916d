package read

import (
	"cmp"
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// assists split the time for which goroutines that allocate assist the collector. A goroutine in an assist works, or
// waits for credit that others collect, or is ready and waits for a P.
type assists struct {
	*analysis
	active map[xtrace.GoID]assist
	sum    times
	places map[report.Frame]*report.AssistPlace
}

// An assist is one that has begun.
type assist struct {
	at    stackID
	begun times // of its goroutine, until then
}

func (s *assists) init(a *analysis) {
	s.analysis = a
	s.active = map[xtrace.GoID]assist{}
	s.places = map[report.Frame]*report.AssistPlace{}
}

func (s *assists) follow(ev *xtrace.Event, on xtrace.ResourceID, kind xtrace.EventKind) {
	if on.Kind != xtrace.ResourceGoroutine {
		return
	}
	g := s.sched.existing[on.Goroutine()]
	if g == nil {
		return
	}
	switch kind {
	case xtrace.EventRangeBegin:
		s.active[g.id] = assist{s.stacks.id(ev.Stack()), g.spent(s.now)}
	case xtrace.EventRangeEnd:
		a, ok := s.active[g.id]
		if !ok {
			return
		}
		delete(s.active, g.id)
		now := g.spent(s.now)
		s.add(a.at, now.running-a.begun.running, now.waiting-a.begun.waiting, now.runnable-a.begun.runnable)
	}
}

func (s *assists) add(at stackID, worked, waited, ready time.Duration) {
	s.sum.running += worked
	s.sum.waiting += waited
	s.sum.runnable += ready
	f := s.stacks.waitPlace(at)
	p := s.places[f]
	if p == nil {
		p = &report.AssistPlace{Frame: f}
		s.places[f] = p
	}
	p.N++
	p.Worked += worked
	p.Waited += waited
	p.Ready += ready
}

// spent returns the times of a goroutine up to now.
func (g *goroutine) spent(now time.Duration) times {
	t := g.times
	switch length := now - g.since; g.state {
	case xtrace.GoRunning:
		t.running += length
	case xtrace.GoWaiting:
		t.waiting += length
	case xtrace.GoRunnable:
		t.runnable += length
	}
	return t
}

func (s *assists) report() report.Assist {
	r := report.Assist{Worked: s.sum.running, Waited: s.sum.waiting, Ready: s.sum.runnable, Places: []report.AssistPlace{}}
	for _, p := range s.places {
		r.Places = append(r.Places, *p)
	}
	slices.SortFunc(r.Places, func(a, b report.AssistPlace) int {
		return cmp.Or(cmp.Compare(b.Worked+b.Waited+b.Ready, a.Worked+a.Waited+a.Ready), waitKey{"", a.Frame}.compare(waitKey{"", b.Frame}))
	})
	r.Places = r.Places[:min(len(r.Places), 100)]
	return r
}
