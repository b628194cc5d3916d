package demo

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
)

// Settings say how thoroughly to measure.
type Settings struct {
	Rounds   int           `json:"rounds"`      // how many samples each row has
	Duration time.Duration `json:"duration_ns"` // for how long calls are timed for one of them
}

// Validate says what makes no sense.
func (s Settings) Validate() error {
	if s.Rounds < 1 || s.Rounds > maxRounds {
		return fmt.Errorf("rounds must be from 1 to %d, not %d", maxRounds, s.Rounds)
	}
	if s.Duration < minDuration || s.Duration > maxDuration {
		return fmt.Errorf("the duration of a sample must be from %v to %v, not %v", minDuration, maxDuration, s.Duration)
	}
	return nil
}

const (
	maxRounds   = 1000
	minDuration = time.Millisecond // shorter ones measure the beginning
	maxDuration = time.Minute
)

// About tells how long Measure takes.
func (s Settings) About() time.Duration {
	samples := 0
	for _, subject := range subjects() {
		if subject.sample != nil {
			samples += s.Rounds
		}
	}
	return time.Duration(samples) * (s.Duration*6/5 + memoryDuration)
}

// Measure takes the samples of all rows in rounds, each in an order of its own, so that what else the machine does
// befalls all rows alike. It reports how many of all samples it has taken before each. The facts say whether the
// samples are what the rows claim that they are. There are no rows if a sample could not be taken.
func Measure(set Settings, progress func(taken, all int)) (rows []Row, facts []Fact) {
	all := subjects()
	var order []int // of those that can be sampled
	for i, s := range all {
		rows = append(rows, Row{Name: s.name, Served: s.served, Missing: s.why, Samples: []Sample{}})
		if s.sample != nil {
			order = append(order, i)
		}
	}
	var check check
	for round := range set.Rounds {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for n, i := range order {
			progress(round*len(order)+n, set.Rounds*len(order))
			s, m, wrong := all[i].take(set.Duration)
			if wrong != nil {
				return nil, []Fact{*wrong}
			}
			rows[i].Samples = append(rows[i].Samples, s)
			check.add(all[i].served, s, m)
		}
	}
	for i := range rows {
		rows[i].sumUp()
	}
	return rows, check.facts()
}

// A check compares what samples claim with what their meters have seen.
type check struct {
	calls, ran                 int
	main, others               int // samples of each Place
	onMain, onOther, misplaced int // by the thread that was seen
}

func (c *check) add(served Place, s Sample, m meter) {
	if served == TwoThreads {
		return // nothing is called
	}
	c.calls += s.Calls
	c.ran += m.ran
	if served == MainThread {
		c.main++
	} else {
		c.others++
	}
	switch on := m.on == osthread.Main(); {
	case on != (served == MainThread):
		c.misplaced++
	case on:
		c.onMain++
	default:
		c.onOther++
	}
}

func (c *check) facts() []Fact {
	const ran = "%d calls"
	const served = "%d samples by the main thread, %d by others, %d not as claimed"
	facts := []Fact{{
		Claim:    "all calls that were timed have run",
		Expected: fmt.Sprintf(ran, c.calls),
		Seen:     fmt.Sprintf(ran, c.ran),
	}, {
		Claim:    "samples were served where the table says",
		Expected: fmt.Sprintf(served, c.main, c.others, 0),
		Seen:     fmt.Sprintf(served, c.onMain, c.onOther, c.misplaced),
	}}
	for i := range facts {
		facts[i].OK = facts[i].Expected == facts[i].Seen
	}
	return facts
}
