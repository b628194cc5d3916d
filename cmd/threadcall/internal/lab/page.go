package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

const (
	calling       = "[Scheduling Function Calls with Zero Allocation](https://golang.design/research/zero-alloc-call-sched)"
	affinity      = "[Go: Concurrency & Scheduler Affinity](https://medium.com/a-journey-with-go/go-concurrency-scheduler-affinity-3b678f490488)"
	understanding = "[Understanding Allocations in Go](https://medium.com/eureka-engineering/understanding-allocations-in-go-stack-heap-memory-9a2631b5035d)"
)

// introduction is the page above its sections.
func (s settings) introduction(began time.Time, load string) string {
	return "# The lab\n\n" + wrap("`make lab` makes the experiments of three articles about Go again, on the machine at hand, and writes this page.") +
		"\n- " + calling + ": Changkun Ou, 2021, on an Apple M1. *The article* below, where no other is named\n" +
		"- " + affinity + ": Vincent Blanchon, 2020, with Go 1.0.3 and Go 1.1.2\n" +
		"- " + understanding + ": James Kirk, on eight processors\n\n" +
		wrap(fmt.Sprintf("This run: %s, %s, in %v, load average %s before and %s after.", machine(), began.UTC().Format(time.DateOnly),
			time.Since(began).Round(time.Second), load, loadAverage())) + "\n" +
		wrap(fmt.Sprintf("What is compared was measured in %d interleaved rounds (fewer, but %d at least, of what takes more than %.0f s), each in an order "+
			"drawn anew. A number is the median, with the interval that has the true median in it with a confidence of 95 %%, whatever the distribution "+
			"(golang.org/x/perf/benchmath); a ratio is the median of those of the rounds. A ratio is *reproduced* or *not reproduced* if all of its interval "+
			"is on one side of what is claimed, a time if it is within a factor of two of the article's, whose machine was another. Traces are of one run "+
			"each, read as by `threadcall trace`.", s.rounds, leastRounds, limit.Seconds()))
}

func (s section) text(title string) string {
	rows := make([][]string, len(s.claims))
	for i, c := range s.claims {
		rows[i] = []string{c.says, c.here, string(c.verdict)}
	}
	parts := append([]string{"\n## " + title + "\n", wrap(s.about)}, s.tables...)
	return strings.Join(append(parts, table([]string{"the article says", "here", ""}, rows)), "\n")
}

// machine describes the machine in a few words.
func machine() string {
	words := fmt.Sprintf("%d cores", runtime.NumCPU())
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			words += " (" + strings.TrimSpace(value) + ")"
			break
		}
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		number, _, _ := strings.Cut(strings.TrimSpace(string(release)), "-")
		words += ", Linux " + number
	}
	return words + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// loadAverage returns that of the last minute, or "unknown".
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(text)); len(fields) > 0 {
		return fields[0]
	}
	return "unknown"
}
