package trace

import (
	"cmp"
	"slices"

	xtrace "golang.org/x/exp/trace"
)

// moves sums up how goroutines moved from thread to thread.
type moves struct {
	goroutines, executions, moves uint64
	tally                         tally
	per, on                       histogram
	top                           top[Mover]
}

// maxTop is how long the lists of the most moved and the worst are.
const maxTop = 10

func (m *moves) init() {
	m.top = top[Mover]{n: maxTop, better: func(a, b Mover) bool { return a.Moves > b.Moves }}
}

// moved counts a move of g from g.thread to another thread, whose P is p.
func (s *scheduler) moved(g *goroutine, on int32, p xtrace.ProcID) {
	g.moves++
	if g.tally == nil {
		g.tally = &tally{}
	}
	via := via(g, on, p)
	g.tally.add(g.why, via)
	s.moves.tally.add(g.why, via)
}

func via(g *goroutine, on int32, p xtrace.ProcID) Via {
	switch {
	case g.ready.global:
		return Global
	case g.ready.proc != p:
		return Stolen
	case g.ready.thread != on:
		return Handoff
	}
	return Waker
}

// add adds a goroutine that has ended.
func (m *moves) add(s *scheduler, g *goroutine) {
	if g.executions == 0 {
		return
	}
	m.goroutines++
	m.executions += uint64(g.executions)
	m.moves += uint64(g.moves)
	m.per.add(uint64(g.moves))
	m.on.add(uint64(g.on.size()))
	if g.moves == 0 || !m.top.wants(Mover{Moves: uint64(g.moves)}) {
		return
	}
	m.top.offer(Mover{
		Goroutine: int64(g.id), Function: s.functions.list[g.function].Name, Created: s.stacks.get(g.created),
		Threads: uint64(g.on.size()), Executions: uint64(g.executions), Moves: uint64(g.moves),
		Why: counts(g.tally.why[:], Why.String), Via: counts(g.tally.via[:], Via.String),
		Running: g.times.running,
	})
}

// counts returns those that are not zero, the largest first.
func counts[T ~uint8](n []uint64, name func(T) string) []Count {
	list := []Count{}
	for i, n := range n {
		if n > 0 {
			list = append(list, Count{name(T(i)), n})
		}
	}
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.N, a.N) })
	return list
}

func (s *scheduler) affinity() Affinity {
	m := &s.moves
	return Affinity{
		Goroutines: m.goroutines, Executions: m.executions, Moves: m.moves,
		Why: counts(m.tally.why[:], Why.String), Via: counts(m.tally.via[:], Via.String),
		Per: m.per.distribution(), On: m.on.distribution(), Top: append([]Mover{}, m.top.kept...),
	}
}
