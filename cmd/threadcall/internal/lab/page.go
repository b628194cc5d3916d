package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
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
		wrap(fmt.Sprintf("This run: %s, %s, in %v, load average %s before and %s after.", hardware(), began.UTC().Format(time.DateOnly),
			time.Since(began).Round(time.Second), load, loadAverage())) + "\n" +
		wrap(fmt.Sprintf("What is compared was measured in %d interleaved rounds (fewer, but %d at least, of what takes more than %.0f s), each in an order "+
			"drawn anew. A number is the median, with the interval that has the true median in it with a confidence of 95 %%, whatever the distribution "+
			"(golang.org/x/perf/benchmath); a ratio is the median of those of the rounds. What is read from traces, as by `threadcall trace`, is of %d "+
			"processes. A section is measured up to %s until the machine is not loaded meanwhile.", s.rounds, leastRounds,
			limit.Seconds(), leastRounds, ui.Counted(s.attempts, "time", "times"))) + "\n" + wrap(rule) + "\n" +
		wrap("The flame graphs have callers above what they call; functions of the runtime are orange. The profiles are next to them: "+
			"`go tool pprof -http=localhost: docs/lab/ups.pprof` shows one, as a flame graph and in pprof's other views.")
}

// directory has the files of the page.
const directory = "lab"

// picture shows a flame graph, and names its profile.
func picture(title, name string) string {
	return fmt.Sprintf("![%s](%s/%s.svg)\n\n%s ([profile](%s/%s.pprof)).\n", title, directory, name, title, directory, name)
}

func (s section) text(title string) string {
	rows := make([][]string, len(s.claims))
	for i, c := range s.claims {
		rows[i] = c.cells(s.loaded)
	}
	about := s.about + " While this was measured, " + s.load + "."
	if s.load == "" {
		about = s.about + " This system does not report what else it did while this was measured."
	}
	if s.loaded {
		about += " That is too much: this run cannot tell."
	}
	parts := append([]string{"\n## " + title + "\n", wrap(about)}, s.tables...)
	return strings.Join(append(parts, table([]string{"the article says", "as an interval", "here", "verdict"}, rows)), "\n")
}

// none is a number that the article does not have.
var none = math.NaN()

// known writes a number of the article.
func known(x float64, unit func(float64) string) string {
	if math.IsNaN(x) {
		return "—"
	}
	return unit(x)
}

// quoted writes lines of the compiler.
func quoted(lines []string) string {
	if len(lines) == 0 {
		return "no line"
	}
	return "`" + strings.Join(lines, "`, `") + "`"
}

// hardware describes the machine in a few words.
func hardware() string {
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
