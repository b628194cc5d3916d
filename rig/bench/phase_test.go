package bench

import (
	"bytes"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestPhases_Run(t *testing.T) {
	needsPreemption(t)
	if runtime.NumCPU() == 1 {
		t.Skip("two threads cannot run at once")
	}
	defer func(n int) { microsecond = n }(microsecond)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	var out bytes.Buffer
	all := regexp.MustCompile("")
	Phases{Name: "Phase", Rounds: 1, For: 2 * ms, Match: all, Sides: all}.Run(&out)
	rows := map[string]int{"threadcall": 21, "thread": 23, "reference": 23, "spinning": 18}
	for name, want := range rows {
		if got := strings.Count(out.String(), "/subject="+name+" 1 "); got != want {
			t.Errorf("%d rows of %s, want %d", got, name, want)
		}
	}
	for _, line := range []string{"# machine: ", "BenchmarkPhase/loop/subject=thread 1 "} {
		if !strings.Contains("\n"+out.String(), "\n"+line) {
			t.Errorf("no line %q", line)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
