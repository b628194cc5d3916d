package bench

import (
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
)

// A pace is how long processes take.
type pace struct {
	last map[rounds.Run]time.Duration
	sum  time.Duration
}

func (p *pace) add(r rounds.Run, took time.Duration) {
	if p.last == nil {
		p.last = map[rounds.Run]time.Duration{}
	}
	p.sum += took - p.last[r]
	p.last[r] = took
}

// known reports whether anything has run.
func (p *pace) known() bool { return len(p.last) > 0 }

// rest returns how long the runs will take: as long as the last time, or as others on average.
func (p *pace) rest(runs []rounds.Run) (sum time.Duration) {
	for _, r := range runs {
		took, ok := p.last[r]
		if !ok && p.known() {
			took = p.sum / time.Duration(len(p.last))
		}
		sum += took
	}
	return sum
}

// round returns how long a round of the jobs will take.
func (p *pace) round(jobs []*rounds.Job) time.Duration {
	return p.rest(rounds.NewOrder(0).Round(0, jobs))
}

// about says how much time is left.
func about(left time.Duration) string { return "about " + round(left) + " left" }

func round(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(time.Second / 10).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}
