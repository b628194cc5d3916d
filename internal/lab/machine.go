package main

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
	"github.com/threadcall/threadcall/internal/soak/record"
)

// A machineWatch notes what else the machine did while experiments were made.
type machineWatch struct {
	began time.Time
	total busyTime
	own   time.Duration
	load  string
}

// A machineReport is what it found.
type machineReport struct {
	began         time.Time
	took          time.Duration
	known         bool
	others        float64 // the share of the cores that other programs took
	stolen        float64 // the share of the cores that the hypervisor gave to others
	before, after string  // the load average; empty where there is none
}

// busyTime is summed up over all cores since the machine has started.
type busyTime struct{ busy, stolen time.Duration }

func watchMachine() machineWatch {
	total, _ := systemTime()
	return machineWatch{time.Now(), total, ownTime(), loadAverage()}
}

func (w machineWatch) end() machineReport {
	r := machineReport{began: w.began, took: time.Since(w.began), before: w.load, after: loadAverage()}
	now, ok := systemTime()
	if !ok || r.took <= 0 {
		return r
	}
	r.known = true
	all := float64(r.took) * float64(runtime.NumCPU())
	r.stolen = float64(now.stolen-w.total.stolen) / all
	r.others = max(0, float64(now.busy-w.total.busy)-float64(ownTime()-w.own)) / all
	return r
}

// ownTime is for how long this process and the processes that it has started and that have ended have computed.
func ownTime() time.Duration { return bench.CPUTime() + childTime() }

// disturbed tells whether the times must be doubted.
func (r machineReport) disturbed() bool { return r.others > 0.05 || r.stolen > 0.05 }

// text says in some words what the experiments were made on.
func (r machineReport) text() (lines []string) {
	lines = append(lines, "on "+record.Machine(), fmt.Sprintf("on %s, in %v", r.began.UTC().Format(time.DateOnly), r.took.Round(time.Second)))
	if !r.known {
		return append(lines, "what else the machine did is not known on "+runtime.GOOS)
	}
	line := fmt.Sprintf("other programs took %.1f %% of the cores meanwhile, and the hypervisor %.1f %%", 100*r.others, 100*r.stolen)
	if r.before != "" {
		line += fmt.Sprintf("; load average %s before and %s after", r.before, r.after)
	}
	return append(lines, line)
}

func readFirstLine(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	for i, b := range text {
		if b == '\n' {
			return string(text[:i])
		}
	}
	return string(text)
}
