package read

import (
	"fmt"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// slowCategory is that of the log event that threadcall leaves when it reports a slow call. Its task is the call's, if that began
// while the trace was recorded.
const slowCategory = "threadcall.slow"

// slow is a slow call whose stacks are still numbers.
type slow struct {
	report.SlowCall
	from, on stackID
}

func (c *calls) slowCall(ev *xtrace.Event) {
	l := ev.Log()
	if l.Category != slowCategory {
		return
	}
	var g xtrace.GoID
	var thread, running int64
	if n, _ := fmt.Sscanf(l.Message, "goroutine=%d thread=%d running=%d", &g, &thread, &running); n < 3 || running < 0 {
		return
	}
	s := slow{SlowCall: report.SlowCall{
		At: c.now, Running: time.Duration(running), Thread: thread, Runner: int64(g), Goroutine: -1, Queued: -1,
	}}
	if p := c.pending[l.Task]; p != nil && p.begun {
		s.Kind, s.Goroutine, s.from = p.kind, int64(p.caller), p.stack
		if p.running {
			s.Queued = max(0, p.from-p.at)
		}
	}
	if g := c.sched.existing[g]; g != nil {
		for _, v := range g.visits {
			if v.task == l.Task {
				s.on = v.stack
			}
		}
		if n := len(g.visits); n > 0 && g.visits[n-1].stopped {
			v := g.visits[n-1]
			s.Waits, s.Waited, s.on = v.reason, c.now-v.leftAt, c.stacks.id(v.left)
		}
	}
	if len(c.slow) == report.Shown {
		c.slow = c.slow[1:]
	}
	c.slow = append(c.slow, s)
}
