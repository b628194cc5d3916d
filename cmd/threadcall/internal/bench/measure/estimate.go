package measure

import (
	"fmt"
	"strconv"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// What a process takes in addition to -benchtime: iterations beyond it, and to start.
const (
	overhead = 1.1
	starting = 30 * time.Millisecond
)

// estimate returns how long the rounds will take, if that is known: "about 3 min 20 s: 5 benchmarks × 2 versions × 20 rounds".
func estimate(set *plan.Settings, jobs []*rounds.Job) string {
	processes, versions := 0., 0 // processes, each as long as on this machine it takes
	for _, j := range jobs {
		n := 0
		for _, b := range j.Versions {
			if b != nil {
				n++
			}
		}
		processes += float64(n) * max(1, j.Stretch)
		versions = max(versions, n)
	}
	text := ui.Counted(len(jobs), "benchmark", "benchmarks")
	switch n := len(set.Commands.List); {
	case n > 0:
		text = ui.Counted(n, "command", "commands")
	case versions > 1:
		text += fmt.Sprintf(" × %d versions", versions)
	}
	text += " × " + ui.Counted(set.Count, "round", "rounds")
	each, err := time.ParseDuration(set.Each.Benchtime)
	if err != nil { // a number of iterations
		return text
	}
	total := processes * float64(set.Count) * (overhead*float64(each) + float64(starting))
	return "about " + ui.Took(roughly(time.Duration(total))) + ": " + text
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
func tooFew(set *plan.Settings) string {
	if set.Count >= stats.Rounds() {
		return ""
	}
	return "-count " + strconv.Itoa(set.Count) + fmt.Sprintf(" is too few for an interval or a verdict, however large the difference is: at least %d are needed.", stats.Rounds())
}
