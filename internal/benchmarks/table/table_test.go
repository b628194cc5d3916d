package main

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/threadcall/threadcall/internal/workload"
	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	workload.MaybeBurn()
	code := 1
	mainthread.Init(func() { code = m.Run() })
	os.Exit(code)
}

func TestEveryLoadGivesItsRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or two")
	}
	for _, l := range loads {
		s, err := l.measure(2, time.Millisecond, io.Discard)
		if err != nil {
			t.Errorf("%s: %v", l.name, err)
		}
		for _, c := range l.comparisons {
			r, ok := c.row(s)
			if ok && (len(r.Threadcall) != 2 || len(r.Reference) != 2 || r.Result == "") {
				t.Errorf("%s: %+v", c.name, r)
			}
			if _, two := workload.Floor(workload.Extent{N: 1}); !ok && two {
				t.Errorf("%s is missing", c.name)
			}
		}
	}
}

// result has the same measurement in each round.
func result(time, cpu float64, latencies ...time.Duration) []workload.Result {
	r := workload.Result{Time: time, CPU: cpu, Latencies: latencies}
	return []workload.Result{r, r}
}

func TestGoalsAreJudged(t *testing.T) {
	reference := result(100, 100, 100)
	mixed := result(150, 100)
	mixed[1].Time = 90
	for _, test := range []struct {
		name string
		c    comparison
		ours []workload.Result
		want string
	}{
		{"below the limit", comparison{ratio: 0.1}, result(9, 1), "met"},
		{"above it", comparison{ratio: 0.1}, result(11, 1), "missed: time"},
		{"far below it", comparison{ratio: 0.1, proud: 0.05}, result(5, 1), "proud"},
		{"no worse in one round of two", comparison{ratio: 1}, mixed, "even"},
		{"a factor in one round of two", comparison{ratio: 1.1}, mixed, "missed: time"},
		{"too much computing", comparison{ratio: 1, cpu: 1}, result(9, 200), "missed: cpu"},
		{"computing that nobody can tell", comparison{ratio: 1, cpu: 1}, result(9, 0), "met"},
		{"a long tail", comparison{p99: 1}, result(9, 1, 200), "missed: p99"},
		{"slower and more", comparison{ratio: 1, cpu: 1}, result(200, 200), "missed: time, cpu"},
		{"an absolute limit", comparison{ratio: 1, most: 10}, result(11, 1), "missed: value"},
		{"the floor", comparison{peer: theFloor, ratio: 1.5}, result(9, 1), "missed: time"},
	} {
		r, ok := test.c.row(samples{threadcall: test.ours, reference: reference, floor: result(5, 1)})
		if !ok || r.Result != test.want {
			t.Errorf("%s: %q, want %q", test.name, r.Result, test.want)
		}
	}
	if r, ok := (comparison{peer: theFloor}).row(samples{threadcall: mixed, reference: reference}); ok {
		t.Errorf("a comparison with a floor that could not be measured: %+v", r)
	}
}

func TestRatiosAreThoseOfTheRounds(t *testing.T) {
	ours, peers := result(10, 1), result(100, 1)
	ours[1].Time, peers[1].Time = 40, 80
	r, _ := comparison{}.row(samples{threadcall: ours, reference: peers})
	if want := (ratio{Median: 0.3, Least: 0.1, Most: 0.5}); r.Ratio != want {
		t.Errorf("%v, want %v", r.Ratio, want)
	}
}

func TestNumbersAreShort(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{duration(0), ""}, {duration(0.251), "0.25ns"}, {duration(2.515), "2.52ns"}, {duration(999.4), "999ns"},
		{duration(999.6), "1.00µs"}, {duration(42_512), "42.5µs"}, {duration(4.126e6), "4.13ms"}, {duration(12e9), "12.0s"},
		{fraction(0), ""}, {fraction(1. / 216.4), "1/216"}, {fraction(1. / 4.08), "1/4.1"}, {fraction(0.611), "0.61"},
		{fraction(1.041), "1.04"}, {fraction(22.61), "22.6"}, {percent(-0.0504), "-5.0%"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestTheTableFitsItsColumns(t *testing.T) {
	var text strings.Builder
	wide := table{Rows: []row{{Pattern: "nested, to plain", Reference: []float64{123456}, Threadcall: []float64{123456},
		Ratio: ratio{1. / 123, 1. / 456, 1. / 123}, CPU: ratio{Median: 1. / 123}, ReferenceP99: 123456, ThreadcallP99: 123456,
		Goal: "1/10 (1/40), cpu 1/4", Result: "met"}}}
	if err := wide.print(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	for _, l := range lines {
		if utf8.RuneCountInString(l) > 120 {
			t.Errorf("more than 120 columns: %s", l)
		}
	}
	column := func(line, text string) int { // -1 if it is not there
		before, _, found := strings.Cut(line, text)
		if !found {
			return -1
		}
		return utf8.RuneCountInString(before)
	}
	if column(lines[3], "goal") != column(lines[4], "1/10 (") {
		t.Errorf("out of line:\n%s\n%s", lines[3], lines[4])
	}
}
