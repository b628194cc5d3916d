package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
)

func TestOneRuleJudgesAllClaims(t *testing.T) {
	const many = 1 << 20 // CPUs
	for _, test := range []struct {
		name  string
		claim claim
		want  verdict
	}{
		{"within", claim{claimed: interval{1, 2}, found: estimate{1.5, 1.2, 1.9}}, reproduced},
		{"as wide as the claim", claim{claimed: interval{1, 2}, found: estimate{1.5, 1, 2}}, reproduced},
		{"the median alone within", claim{claimed: interval{1, 2}, found: estimate{1.5, 0.9, 1.9}}, cannotTell},
		{"around the claim", claim{claimed: interval{1, 2}, found: estimate{1.5, 0.9, 2.1}}, cannotTell},
		{"below", claim{claimed: interval{1, 2}, found: estimate{0.5, 0.4, 0.9}}, notReproduced},
		{"above", claim{claimed: interval{1, 2}, found: estimate{3, 2.1, 4}}, notReproduced},
		{"the number claimed, not the direction", claim{claimed: percent(0.44, 0), found: estimate{0.7, 0.69, 0.71}}, notReproduced},
		{"its direction", claim{claimed: less(1), direction: true, found: estimate{0.7, 0.69, 0.71}}, directionReproduced},
		{"the other direction", claim{claimed: less(1), direction: true, found: estimate{1.2, 1.1, 1.3}}, directionNotReproduced},
		{"no direction", claim{claimed: less(1), direction: true, found: estimate{1, 0.9, 1.1}}, cannotTell},
		{"the limit is neither more", claim{claimed: more(0), direction: true, found: exactly(0)}, directionNotReproduced},
		{"nor less", claim{claimed: less(3), direction: true, found: exactly(3)}, directionNotReproduced},
		{"counted, the same", claim{claimed: is(96), found: exactly(96)}, reproduced},
		{"counted, another", claim{claimed: is(96), found: exactly(112)}, notReproduced},
		{"too few rounds", claim{claimed: interval{1, 2}, found: estimate{1.5, math.Inf(-1), math.Inf(1)}}, cannotTell},
		{"too few rounds for a direction", claim{claimed: more(0), direction: true, found: estimate{1.5, math.Inf(-1), math.Inf(1)}}, cannotTell},
		{"no samples", claim{claimed: interval{0, 1}, found: proportion(0, 0)}, cannotTell},
		{"too few CPUs", claim{claimed: is(96), found: exactly(96), cpus: many}, cannotTell},
	} {
		if got := test.claim.judge(false); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if got := test.claim.judge(true); got != cannotTell {
			t.Errorf("%s, on a loaded machine: %s", test.name, got)
		}
	}
}

func TestASectionOfALoadedMachineHasNoOtherVerdict(t *testing.T) {
	s := section{claims: []claim{{says: "a", claimed: is(1), found: exactly(1), unit: number}, {says: "b", claimed: more(0), direction: true, found: exactly(0), unit: number}}}
	s.load, s.loaded = "other processes used 1.0 of 2 CPUs", true
	text := s.text("Title")
	if strings.Contains(text, "reproduced") || strings.Count(text, "| this run cannot tell |") != 2 {
		t.Error(text)
	}
	s.loaded = false
	if text := s.text("Title"); strings.Contains(text, "cannot tell") || !strings.Contains(text, "| reproduced |") || !strings.Contains(text, "| direction not reproduced |") {
		t.Error(text)
	}
}

func TestWhatIsALoadedMachine(t *testing.T) {
	quiet := machine.Taken{Known: true, CPUs: 2, Wall: time.Second, Own: time.Second}
	others, stolen, throttled := quiet, quiet, quiet
	others.Others, stolen.Stolen, throttled.Throttled = time.Second, time.Second, time.Millisecond
	for _, test := range []struct {
		name                 string
		noisy                int // of ten spans
		before, whole, after machine.Taken
		want                 bool
	}{
		{"idle", 0, quiet, quiet, quiet, false},
		{"a fifth of the spans", 2, quiet, quiet, quiet, false},
		{"more than a fifth of the spans", 3, quiet, quiet, quiet, true},
		{"all of it", 0, quiet, others, quiet, true},
		{"a quota", 0, quiet, throttled, quiet, true},
		{"CPUs that halt and start", 0, quiet, stolen, quiet, false},
		{"a hypervisor before", 0, stolen, quiet, quiet, true},
		{"a hypervisor after", 0, quiet, quiet, stolen, true},
		{"nothing known", 0, machine.Taken{}, machine.Taken{}, machine.Taken{}, false},
	} {
		l := load{before: test.before}
		for i := range 10 {
			if i < test.noisy {
				l.count(others)
			} else {
				l.count(stolen)
			}
		}
		text, got := l.judge(test.whole, test.after)
		if got != test.want || (text == "") == test.whole.Known {
			t.Errorf("%s: loaded is %v: %s", test.name, got, text)
		}
	}
}

func TestIntervalsOfClaims(t *testing.T) {
	near := func(got, want interval) bool {
		return math.Abs(got.low-want.low) < 1e-9 && math.Abs(got.high-want.high) < 1e-9
	}
	for _, test := range []struct {
		name      string
		got, want interval
	}{
		{"0.95 ns ± 1 %", percent(0.95, 1), interval{0.95 * 0.985, 0.95 * 1.015}},
		{"448 ns ± 0 %", percent(448, 0), interval{448 * 0.995, 448 * 1.005}},
		{"a ratio", interval{1, 2}.over(interval{4, 5}), interval{0.2, 0.5}},
		{"a saving", interval{0.2, 0.5}.saved(), interval{0.5, 0.8}},
		{"a share of samples", proportion(50, 100).interval(), interval{0.40383153, 0.59616847}},
	} {
		if math.Abs(test.got.low-test.want.low) > 1e-6 || math.Abs(test.got.high-test.want.high) > 1e-6 {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
	if got := (estimate{0.7, 0.6, 0.8}).saved(); !near(interval{got.low, got.high}, interval{0.2, 0.4}) {
		t.Errorf("%v", got)
	}
	if e := (series{5, 1, 4, 2, 3, 6, 7}).over(series{1, 1, 1, 1, 1, 1, 1}); e != (estimate{4, 1, 7}) {
		t.Errorf("%+v", e)
	}
	for text, c := range map[string]claim{
		"448 ns ± 0.50 %":   {claimed: percent(448, 0), unit: duration},
		"79.5 % to 80.5 %":  {claimed: within(0.8, 0.005), unit: percents},
		"20 ns to 30 ns":    {claimed: interval{20, 30}, unit: duration},
		"more than 1 times": {claimed: more(1), unit: asTimes},
		"less than 50 %":    {claimed: less(0.5), unit: percents},
		"96 B":              {claimed: is(96), unit: asBytes},
	} {
		if got := c.wants(); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
}
