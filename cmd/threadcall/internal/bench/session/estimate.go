package session

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// overhead is what a process takes in addition to -benchtime: to find the number of iterations, and to start.
const overhead = 1.3

// plan returns how long the rounds will take: "about 3 min 20 s: 5 benchmarks × 2 versions × 20 rounds". How many
// sub-benchmarks there are is known after the first round only.
func plan(set *Settings, jobs []*rounds.Job) string {
	processes, versions := 0, 0
	for _, j := range jobs {
		n := 0
		for _, b := range j.Versions {
			if b != nil {
				n++
			}
		}
		processes += n
		versions = max(versions, n)
	}
	text := ui.Counted(len(jobs), "benchmark", "benchmarks")
	if versions > 1 {
		text += fmt.Sprintf(" × %d versions", versions)
	}
	text += " × " + ui.Counted(set.Count, "round", "rounds")
	each, err := time.ParseDuration(set.Each.Benchtime)
	if err != nil { // a number of iterations
		return text
	}
	per := 1
	if set.Each.CPU != "" {
		per = 1 + strings.Count(set.Each.CPU, ",")
	}
	total := time.Duration(float64(processes*set.Count*per) * overhead * float64(each))
	return "about " + Took(roughly(total)) + ": " + text + ", longer with sub-benchmarks"
}

// roughly rounds to what an estimate can say.
func roughly(d time.Duration) time.Duration {
	switch {
	case d > time.Hour:
		return d.Round(10 * time.Minute)
	case d > 10*time.Minute:
		return d.Round(time.Minute)
	case d > time.Minute:
		return d.Round(10 * time.Second)
	}
	return d.Round(time.Second)
}

// tooFew warns of a number of rounds that cannot show anything, before they are measured.
func tooFew(set *Settings) string {
	if set.Count >= stats.Rounds() {
		return ""
	}
	return "-count " + strconv.Itoa(set.Count) + fmt.Sprintf(" is too few for an interval or a verdict, however large the difference is: at least %d are needed.", stats.Rounds())
}
