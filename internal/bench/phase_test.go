package bench

import (
	"bytes"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestPhases_Compare(t *testing.T) {
	needsPreemption(t)
	if runtime.NumCPU() == 1 {
		t.Skip("two threads cannot run at once")
	}
	defer func(n int) { microsecond = n }(microsecond)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	var out bytes.Buffer
	all := regexp.MustCompile("")
	Phases{Rounds: 1, For: 2 * ms, Match: all}.Compare(&out)
	rows := map[string]int{"threadcall": 2 * 20, "thread": 2 * 22, "reference": 22, "spinning": 18}
	for name, want := range rows {
		if got := strings.Count(out.String(), "  "+name+"  "); got != want {
			t.Errorf("%d rows of %s, want %d", got, name, want)
		}
	}
	if t.Failed() || !strings.Contains(out.String(), "of 42 above a limit") {
		t.Error(out.String())
	}
}

func TestCompare_limits(t *testing.T) {
	channel := figures{10, 40, 20, 100}
	for _, test := range []struct {
		engine, pair figures
		missed       string
	}{
		{figures{11, 60, 22, 199}, figures{}, ""},
		{figures{11.1, 61, 22.1, 201}, figures{}, " p50 p99 CPU late"},
		{figures{2, 1, 1, 1}, figures{1, 1, 22, 1}, ""},
		{figures{2.1, 1, 1, 1}, figures{1, 1, 22, 1}, " spinning"},
		{figures{2.1, 1, 1, 1}, figures{1, 1, 23, 1}, ""},
	} {
		r := compare("a phase", "thread", test.engine, channel, test.pair)
		if r.missed != test.missed || (r.worst > 1) != (r.missed != "") {
			t.Errorf("%v: %q, worst %v, want %q", test.engine, r.missed, r.worst, test.missed)
		}
	}
}
