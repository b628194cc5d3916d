package read

import (
	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// moves sums up how goroutines moved from thread to thread.
type moves struct {
	goroutines, executions, moves uint64
	whys, vias                    tally
	per, on                       report.Histogram
	top                           report.Top[report.Mover]
}

func (m *moves) init() {
	m.top = report.NewTop(report.Shown, func(a, b report.Mover) bool { return a.Moves > b.Moves })
}

// moved counts a move of g from g.thread to another thread, whose P is p.
func (s *scheduler) moved(g *goroutine, on int32, p xtrace.ProcID) {
	g.moves++
	via := via(g, on, p)
	for _, of := range []struct{ whys, vias *tally }{{&g.whys, &g.vias}, {&s.moves.whys, &s.moves.vias}} {
		of.whys.add(g.why)
		of.vias.add(via)
	}
}

func via(g *goroutine, on int32, p xtrace.ProcID) string {
	switch {
	case g.ready.global:
		return globalQueue
	case g.ready.proc != p:
		return stolen
	case g.ready.thread != on:
		return handoff
	}
	return waker
}

// add adds a goroutine that has ended.
func (m *moves) add(s *scheduler, g *goroutine) {
	if g.executions == 0 {
		return
	}
	m.goroutines++
	m.executions += uint64(g.executions)
	m.moves += uint64(g.moves)
	m.per.Add(uint64(g.moves))
	m.on.Add(uint64(g.on.size()))
	if g.moves == 0 || !m.top.Wants(report.Mover{Moves: uint64(g.moves)}) {
		return
	}
	m.top.Offer(report.Mover{
		Goroutine: int64(g.id), Function: s.functions.list[g.function].Name, Created: s.stacks.get(g.created),
		Threads: uint64(g.on.size()), Executions: uint64(g.executions), Moves: uint64(g.moves),
		Why: g.whys.counts(), Via: g.vias.counts(), Running: g.times.running,
	})
}

func (m *moves) report() report.Affinity {
	return report.Affinity{
		Goroutines: m.goroutines, Executions: m.executions, Moves: m.moves, Why: m.whys.counts(), Via: m.vias.counts(),
		Per: m.per.Distribution(), On: m.on.Distribution(), Top: m.top.Kept,
	}
}
