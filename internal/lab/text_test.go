package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/work"
)

// around is a series of rounds that differ little.
func around(ns float64) measure.Series {
	s := measure.Series{Name: fmt.Sprint(ns)}
	for i := range 10 {
		s.Values = append(s.Values, ns*(1+float64(i-5)/1000))
	}
	return s
}

// anywhere is a series of rounds that say nothing.
func anywhere(ns float64, seed uint64) measure.Series {
	r := rand.New(rand.NewPCG(seed, 0))
	s := measure.Series{Name: fmt.Sprint(ns)}
	for range 10 {
		s.Values = append(s.Values, ns*(0.2+2*r.Float64()))
	}
	return s
}

func pointer[T any](x T) *T { return &x }

// says checks that a text has some words and lacks others.
func says(t *testing.T, name, text string, has, lacks []string) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range has {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is missing in: %s", name, want, text)
		}
	}
	for _, wrong := range lacks {
		if strings.Contains(text, wrong) {
			t.Errorf("%s: %q is in: %s", name, wrong, text)
		}
	}
}

func callsWith(unlocked, main [3]measure.Series, threadcall, floor measure.Series) callsResult {
	r := callsResult{direct: pointer(around(1)), threadcall: &threadcall, floor: &floor}
	for i := range 3 {
		r.unlocked[i], r.main[i] = &unlocked[i], &main[i]
	}
	return r
}

func TestWhatIsSaidOfCallsFollowsFromTheTimes(t *testing.T) {
	slow := callsWith(
		[3]measure.Series{around(450), around(440), around(360)},
		[3]measure.Series{around(20000), around(20000), around(18000)}, around(200), around(150))
	says(t, "a thread that is slow", slow.conclusion(),
		[]string{"50.0 (", "times as long on the main thread", "puts two threads to sleep", "90.", "That is 1.33 (", "floors"},
		[]string{"slower than the article", "cannot tell"})
	says(t, "a thread that is slow", paper.Claims(slow.claims()),
		[]string{"**not reproduced**: the article's number is that of the unlocked loop; the thread makes it 50.0 ("}, nil)

	fast := callsWith(
		[3]measure.Series{around(450), around(440), around(500)},
		[3]measure.Series{around(400), around(400), around(300)}, around(900), around(1000))
	says(t, "a thread that is fast", fast.conclusion(),
		[]string{"cannot tell the article's last design on the main thread", "is slower than the article's last design", "less than the floor"},
		[]string{"two threads to sleep"})
	claims := fast.claims()
	if v := claims[1].Verdict; v != paper.Reproduced {
		t.Errorf("300 ns on the main thread are %q", v)
	}
	if v := claims[3].Verdict; v != paper.NotReproduced {
		t.Errorf("a last design that is slower than the first is %q", v)
	}

	noise := callsWith(
		[3]measure.Series{anywhere(450, 1), anywhere(440, 2), anywhere(430, 3)},
		[3]measure.Series{anywhere(450, 4), anywhere(440, 5), anywhere(430, 6)}, anywhere(430, 7), anywhere(430, 8))
	says(t, "noise", noise.conclusion(), []string{"cannot tell"}, []string{"puts two threads to sleep", "slower"})
	for _, c := range noise.claims()[2:] {
		if c.Verdict != paper.Undecided {
			t.Errorf("of noise, %q is %q", c.Says, c.Verdict)
		}
	}
}

func TestAMachineWithOneCoreHasNoFloor(t *testing.T) {
	r := callsWith([3]measure.Series{around(450), around(440), around(360)}, [3]measure.Series{around(900), around(900), around(900)}, around(200), around(1))
	r.floor = nil
	for _, text := range []string{r.table(), r.conclusion()} {
		if strings.Contains(text, "floor") {
			t.Error(text)
		}
	}
	if rows := r.picture().Panels[0].Rows; len(rows) != 8 {
		t.Errorf("%d rows in the picture, want 8", len(rows))
	}
}

func TestWhatIsSaidOfAllocationsFollowsFromTheCounts(t *testing.T) {
	r := allocationsResult{
		designs: [3]cost{{120, 2}, {24, 1}, {0, 0}},
		sizes:   work.Sizes{Channel: 96, Closure: 24, InPlace: 24, Sudog: 88, HeapStep: 8192},
	}
	for _, c := range r.claims()[:8] {
		if c.Verdict != paper.Reproduced {
			t.Errorf("as in the article, %q is %q", c.Says, c.Verdict)
		}
	}
	r = allocationsResult{
		designs: [3]cost{{136.04, 2.0001}, {24, 1}, {16, 1}}, threadcall: cost{32, 1},
		sizes: work.Sizes{Channel: 112, Closure: 24, Sudog: 80, HeapStep: 8192},
	}
	text := paper.Claims(r.claims())
	says(t, "today", text, []string{
		"136 B in 2 | **no longer so**: the channel, 112 B, and the closure, 24 B",
		"16 B in 1 | **no longer so** |",
		"80 B | **no longer so** |", // smaller, for which there is no reason
		"**not reproduced**: the sending makes it escape",
	}, nil)
	says(t, "today", r.conclusion(), nil, []string{"nothing is left", "allocates nothing"})
}

func sieveWith(one, two measure.Series, moves ...float64) sieveResult {
	r := sieveResult{limit: 100, tracedLimit: 100, messages: work.Messages(100), series: []measure.Series{one, two, two, two}}
	for i, procs := range []int{1, 2, 4, 8} {
		r.settings = append(r.settings, sieveSetting{procs: procs, go10: 20, go11: 20 / float64(procs), article: 400 / float64(procs), moves: moves[i], again: moves[i] / 10, switches: 1})
		r.via = append(r.via, "1 stolen")
	}
	return r
}

func TestWhatIsSaidOfTheSieveFollowsFromTheTimes(t *testing.T) {
	faster := sieveWith(around(300), around(150), 0, 1, 2, 3)
	says(t, "a second P that helps", faster.conclusion(), []string{"1.33 times less than in the article", "A second P saves 50 %"}, []string{"slower"})
	slower := sieveWith(around(500), around(900), 0, 6, 7, 8)
	says(t, "a second P that harms", slower.conclusion(), []string{"not less than in the article", "makes it slower, 1.80 ("}, []string{"saves 50"})
	if v := slower.claims()[1].Verdict; v != paper.NotReproduced && v != paper.NotComparable {
		t.Error(v)
	}
	if v := slower.keeps().Verdict; v != paper.NotReproduced {
		t.Errorf("with 60 %% moved it is %q that they keep their thread", v)
	}
	if v := faster.keeps().Verdict; v != paper.Reproduced {
		t.Errorf("with 30 %% moved it is %q that they keep their thread", v)
	}
	if still := sieveWith(around(1), around(1), 0, 0, 0, 0); len(still.picture().Panels) != 1 {
		t.Error("a panel of moves without a move")
	}
}

func TestWhatIsSaidOfPingPongFollowsFromTheTimes(t *testing.T) {
	with := func(a, b, c measure.Series) pingpongResult {
		return pingpongResult{series: []measure.Series{a, b, c}, traced: 1}
	}
	says(t, "a thread that is slow", with(around(300), around(9000), around(18000)).conclusion(),
		[]string{"300 ns", "9.00 µs", "must now wake a thread", "With both locked it takes 2.00 ("}, []string{"cannot tell"})
	says(t, "a thread that is fast", with(around(300), around(200), around(100)).conclusion(),
		[]string{"shorter on this machine", "less again"}, []string{"wake a thread", "rows pay"})
	says(t, "noise", with(anywhere(300, 1), anywhere(300, 2), anywhere(300, 3)).conclusion(),
		[]string{"cannot tell", "no difference that this run could see"}, []string{"rows pay"})
}

func TestWhatIsSaidOfPointersFollowsFromTheTimes(t *testing.T) {
	with := func(value, pointer measure.Series, collections uint64) variantsResult {
		r := variantsResult{series: []measure.Series{value, pointer}, variants: []variant{
			{name: "by value", ns: 1.5}, {name: "by returned pointer", ns: 15, cost: cost{8, 1}, here: cost{8, 1}},
		}}
		r.variants[1].trace.GC.Cycles, r.variants[1].trace.Stops.All.N = collections, 2*collections
		return r
	}
	slow := with(around(2), around(20), 1)
	says(t, "a pointer that is slow", stackitResult{slow}.conclusion(), []string{"18.0 ns more", "1 collection with the pointer", "2 times", "0 collections without"}, nil)
	if c := slow.pointerCosts(0, 1); c[0].Verdict != paper.Reproduced || c[1].Verdict != paper.Reproduced || c[1].Why != "within a factor of two" {
		t.Errorf("%+v", c)
	}
	same := with(around(2), around(2), 0)
	says(t, "a pointer that costs nothing", stackitResult{same}.conclusion(), []string{"could not see"}, []string{"collection"})
	says(t, "a pointer that costs nothing", nineResult{same}.conclusion(), []string{"cannot tell which is faster"}, []string{"cheaper"})
	says(t, "a pointer that is fast", nineResult{with(around(20), around(2), 0)}.conclusion(), []string{"the pointer is faster"}, []string{"cheaper"})
	same.variants[1].here = cost{}
	if v := same.pointerCosts(0, 1)[0].Verdict; v != paper.Changed {
		t.Errorf("a pointer that is not allocated is %q", v)
	}
}

func TestABusyMachineIsSaid(t *testing.T) {
	quiet, busy := machineReport{known: true, others: 0.01}, machineReport{known: true, others: 0.4}
	for _, test := range []struct {
		set     settings
		machine machineReport
		want    string
	}{
		{full(), quiet, ""}, {full(), busy, "The machine had other work"}, {quick(), quiet, "its times mean nothing"},
	} {
		text := page(test.set, test.machine, nil)
		for _, warning := range []string{"The machine had other work", "its times mean nothing"} {
			if strings.Contains(text, warning) != (warning == test.want) {
				t.Errorf("%q, want %q:\n%s", warning, test.want, text)
			}
		}
	}
}

func TestFewerRoundsAreSaid(t *testing.T) {
	r := callsWith([3]measure.Series{around(1), around(1), around(1)}, [3]measure.Series{around(1), around(1), around(1)}, around(1), around(1))
	for _, fewer := range []int{0, 7} {
		text := section{experiment: experiments[0], result: r, fewer: fewer}.text()
		if strings.Contains(text, "There was time for 7 rounds only.") != (fewer == 7) {
			t.Errorf("of %d rounds it says:\n%s", fewer, text)
		}
	}
}

func TestTheMachineIsWatched(t *testing.T) {
	watch := watchMachine()
	for i, x := 0, 1.0; i < 50_000_000; i++ {
		x *= 1.000001
		if x > 1e300 {
			x = 1
		}
	}
	r := watch.end()
	if r.known && (r.others < 0 || r.others > 1.1 || r.stolen < 0 || r.stolen > 1) {
		t.Errorf("%+v", r)
	}
	if r.took <= 0 || len(r.text()) != 3 {
		t.Errorf("%q", r.text())
	}
}
