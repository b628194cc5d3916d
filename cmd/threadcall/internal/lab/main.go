// Command lab makes the experiments of three articles about Go again, on the machine at hand, and writes docs/lab.md.
// Its times mean something only on an otherwise idle machine.
//
//	go run ./cmd/threadcall/internal/lab                 all, in two to four minutes
//	go run ./cmd/threadcall/internal/lab -run sieve      those whose names match, on standard output
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
	"github.com/threadcall/threadcall/mainthread"
)

// An experiment measures something and compares it with what an article says.
type experiment struct {
	name, title string
	do          func(*lab) (section, error)
}

var experiments = []experiment{
	{"calls", "Four ways to call a function on a thread", calls},
	{"allocations", "What a call allocates", allocations},
	{"sieve", "The prime sieve and the threads under it", sieve},
	{"struct", "A struct of nine fields, copied or pointed to", nineFields},
}

// A section is what the page has of an experiment.
type section struct {
	about  string
	tables []string
	claims []claim
}

// A lab is where experiments are made.
type lab struct {
	settings
	ctx context.Context
}

// settings are how much is measured.
type settings struct {
	rounds   int
	sample   time.Duration
	sieve    int // its limit where it is timed
	sieveIn  int // its limit where it is traced
	pointers int // calls that are traced, of functions that return structs or pointers
	allocs   int // calls whose allocations are counted
}

var (
	full  = settings{rounds: 30, sample: 200 * time.Millisecond, sieve: 20_000, sieveIn: 4_000, pointers: 20_000_000, allocs: 100_000}
	quick = settings{rounds: leastRounds, sample: 2 * time.Millisecond, sieve: 500, sieveIn: 300, pointers: 100_000, allocs: 5_000}
)

const limit = time.Minute // after which no round begins beyond leastRounds

func main() {
	maybeRunJob()
	run := flag.String("run", "", "make the experiments whose names match this regular `expression`, and print the page instead of writing it")
	inHaste := flag.Bool("quick", false, "measure for a few seconds in all, and print the page: the times mean nothing")
	flag.Parse()
	mainthread.Init(func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop) // a second interrupt kills
		if err := write(ctx, *run, *inHaste); err != nil {
			fmt.Fprintln(os.Stderr, "lab:", err)
			os.Exit(1)
		}
	})
}

// write writes the page where it belongs, if it is started in the root of the project.
func write(ctx context.Context, expression string, inHaste bool) error {
	match, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	set := full
	if inHaste {
		set = quick
	}
	text, err := perform(ctx, set, match)
	if err != nil {
		return err
	}
	if expression != "" || inHaste {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile("docs/lab.md", []byte(text), 0o666)
}

// perform makes the experiments and returns the page.
func perform(ctx context.Context, set settings, match *regexp.Regexp) (string, error) {
	l := &lab{settings: set, ctx: ctx}
	began, load := time.Now(), loadAverage()
	var parts string
	for _, e := range experiments {
		if !match.MatchString(e.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%4.0f s  %s\n", time.Since(began).Seconds(), e.title)
		s, err := e.do(l)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return "", fmt.Errorf("experiment %s: %w", e.name, err)
		}
		parts += s.text(e.title)
	}
	if parts == "" {
		return "", fmt.Errorf("no experiment matches %q", match)
	}
	return set.introduction(began, load) + parts, nil
}

// measure times the contenders in rounds, in samples of n operations if n is not zero.
func (l *lab) measure(n int, contenders ...bench.Contender) ([]series, error) {
	values, err := bench.Rounds(l.ctx, contenders, bench.Plan{Rounds: l.rounds, Sample: l.sample, N: n, Limit: limit, Least: leastRounds}, func(int, int) {})
	all := make([]series, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all, err
}
