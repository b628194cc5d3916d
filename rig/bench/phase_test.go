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
	for list, rows := range map[string]map[string]int{
		"":      {"threadcall": 22, "thread": 24, "reference": 24, "spinning": 19},
		"posts": {"threadcall": 8, "thread": 8, "reference": 8, "small": 8},
		"pools": {"thread": 5, "keyed": 5, "reference": 5, "channels": 5},
	} {
		var part bytes.Buffer
		Phases{Name: "Phase", List: list, Rounds: 1, For: 2 * ms, Match: all, Sides: all}.Run(&part)
		for name, want := range rows {
			if got := strings.Count(part.String(), "/subject="+name+" 1 "); got != want {
				t.Errorf("%q: %d rows of %s, want %d", list, got, name, want)
			}
		}
		out.Write(part.Bytes())
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
