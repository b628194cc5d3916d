package demo

import (
	"strings"
	"testing"
	"time"
)

func TestASampleThatPanicsIsAWrongFact(t *testing.T) {
	s := subject{name: "s", served: MainThread, sample: func(*meter, time.Duration) Sample { panic("boom") }}
	if _, _, wrong := s.take(time.Millisecond); wrong == nil || wrong.OK || !strings.Contains(wrong.Seen, "boom") {
		t.Errorf("%+v", wrong)
	}
}

func TestEverySubjectIsServedWhereItSays(t *testing.T) {
	rows, facts := Measure(Settings{Rounds: 1, Duration: time.Millisecond}, func(taken, all int) {})
	for _, f := range facts {
		if !f.OK {
			t.Errorf("%+v", f)
		}
	}
	for _, r := range rows {
		if (r.Missing == "") != (len(r.Samples) == 1) {
			t.Errorf("%s by %s: %d samples, missing: %q", r.Name, r.Served, len(r.Samples), r.Missing)
		}
	}
}

func TestACheckFindsFalseSamples(t *testing.T) {
	var c check
	c.add(MainThread, Sample{Calls: 5}, meter{on: "elsewhere", ran: 4})
	for _, f := range c.facts() {
		if f.OK {
			t.Errorf("%+v", f)
		}
	}
}
