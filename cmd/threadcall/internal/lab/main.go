// Command lab makes the experiments of three articles about Go again, on the machine at hand, and
// prints their tables, as Markdown. Its times mean something only on an otherwise idle machine.
//
//	go run ./cmd/threadcall/internal/lab                 all, in about four minutes
//	go run ./cmd/threadcall/internal/lab -run sieve      those whose names match
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/internal/bench"
	"github.com/threadcall/threadcall/mainthread"
)

var experiments = []struct {
	name, title string
	do          func(*lab) error
}{
	{"calls", "Four ways to call a function on a thread", calls},
	{"allocations", "What a call allocates", allocations},
	{"sieve", "The prime sieve and the threads under it", sieve},
	{"thread", "What takes a goroutine from its thread, and what runs next", keeping},
	{"stack", "A result copied, pointed to, and a pointer passed down", stack},
	{"struct", "A struct of nine fields, copied or pointed to", nineFields},
}

// A lab says how much is measured, and where the tables go.
type lab struct {
	ctx    context.Context
	out    io.Writer
	rounds int
	sample time.Duration
	fewer  int // how many times fewer operations than in full
}

var (
	full  = lab{rounds: 30, sample: 200 * time.Millisecond, fewer: 1}
	quick = lab{rounds: leastRounds, sample: 2 * time.Millisecond, fewer: 40}
)

// n returns how many operations to do.
func (l *lab) n(full int) int { return full / l.fewer }

func main() {
	run := flag.String("run", "", "make the experiments whose names match this regular `expression`")
	flag.Parse()
	mainthread.Init(func() {
		l := full
		l.out = os.Stdout
		var stop func()
		l.ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt)
		context.AfterFunc(l.ctx, stop) // a second interrupt kills
		if err := l.perform(*run); err != nil {
			fmt.Fprintln(os.Stderr, "lab:", err)
			os.Exit(1)
		}
	})
}

// perform makes the experiments whose names match.
func (l *lab) perform(expression string) error {
	match, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	fmt.Fprintf(l.out, "%d cores, %s %s/%s.\n", runtime.NumCPU(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	for _, e := range experiments {
		if match.MatchString(e.name) {
			fmt.Fprintf(l.out, "\n## %s\n", e.title)
			if err := e.do(l); err != nil {
				return fmt.Errorf("experiment %s: %w", e.name, err)
			}
		}
	}
	return nil
}

// table prints a table, of which the first row is the heading.
func (l *lab) table(rows ...[]string) {
	fmt.Fprint(l.out, "\n", ui.Markdown(strings.Repeat("l", len(rows[0])), rows...))
}

// A series is what was measured of one contender, by round.
type series []float64

// leastRounds is with how many rounds a median has bounds.
const leastRounds = 6

// in writes the median with the bounds between which the true median is with a confidence of 95 %,
// whatever the distribution.
func (s series) in(unit func(float64) string) string {
	e := benchmath.AssumeNothing.Summary(benchmath.NewSample(s, &benchmath.DefaultThresholds), 0.95)
	if e.Lo == e.Hi {
		return unit(e.Center)
	}
	return fmt.Sprintf("%s (%s to %s)", unit(e.Center), unit(e.Lo), unit(e.Hi))
}

// over has the ratios of the rounds.
func (s series) over(t series) series {
	ratios := make(series, min(len(s), len(t)))
	for i := range ratios {
		ratios[i] = s[i] / t[i]
	}
	return ratios
}

// times has the numbers in another unit.
func (s series) times(x float64) series {
	scaled := make(series, len(s))
	for i := range s {
		scaled[i] = s[i] * x
	}
	return scaled
}

func duration(ns float64) string { return ui.Duration(ns) }
func number(x float64) string    { return ui.Number(x) }
func percents(x float64) string  { return ui.Number(100*x) + " %" }

// measure times the contenders in interleaved rounds, in samples of n operations if n is not zero.
// No round begins after 40 seconds, beyond the least.
func (l *lab) measure(n int, contenders ...bench.Contender) ([]series, error) {
	plan := bench.Plan{Rounds: l.rounds, Sample: l.sample, N: n, Limit: 40 * time.Second,
		Least: leastRounds}
	values, err := bench.Rounds(l.ctx, contenders, plan, func(int, int) {})
	all := make([]series, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all, err
}
