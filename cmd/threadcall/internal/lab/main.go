// Command lab makes the experiments of three articles about Go again, on the machine at hand, and writes docs/lab.md.
// Its times mean something only on an otherwise idle machine.
//
//	go run ./cmd/threadcall/internal/lab                 all, in about four minutes, or eight if it is loaded
//	go run ./cmd/threadcall/internal/lab -run sieve      those whose names match, on standard output
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
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
	{"thread", "What takes a goroutine from its thread, and what runs next", keeping},
	{"stack", "A result copied, pointed to, and a pointer passed down", stack},
	{"struct", "A struct of nine fields, copied or pointed to", nineFields},
}

// A section is what the page has of an experiment.
type section struct {
	about  string
	tables []string
	claims []claim
	files  map[string][]byte // in the directory of the page's files, by name
	load   string            // what else the machine did
	loaded bool              // too much to judge the claims
}

// A lab is where experiments are made.
type lab struct {
	settings
	ctx  context.Context
	load *load // of the section that is being measured
}

// settings are how much is measured.
type settings struct {
	rounds   int
	sample   time.Duration
	sieve    int // its limit where it is timed
	sieveIn  int // its limit where it is traced
	pointers int // calls that are traced, of functions that return structs or pointers
	allocs   int // calls whose allocations are counted
	waits    int // for a millisecond, in traces of system calls
	notified int // goroutines in each round, for the order in which they run
	profiled time.Duration
	compute  time.Duration // with all CPUs, before and after a section, for the time that the hypervisor takes
	attempts int           // at a section, while the machine is loaded
}

var (
	full = settings{rounds: 30, sample: 200 * time.Millisecond, sieve: 20_000, sieveIn: 4_000, pointers: 20_000_000, allocs: 100_000,
		waits: 100, notified: 100, profiled: 3 * time.Second, compute: time.Second, attempts: 2}
	quick = settings{rounds: leastRounds, sample: 2 * time.Millisecond, sieve: 500, sieveIn: 300, pointers: 100_000, allocs: 5_000,
		waits: 10, notified: 5, profiled: 100 * time.Millisecond, compute: 20 * time.Millisecond, attempts: 1}
)

const limit = 40 * time.Second // after which no round begins beyond leastRounds

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
	text, files, err := perform(ctx, set, match)
	if err != nil {
		return err
	}
	if expression != "" || inHaste {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	if err := os.MkdirAll(filepath.Join("docs", directory), 0o777); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join("docs", directory, name), content, 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile("docs/lab.md", []byte(text), 0o666)
}

// perform makes the experiments and returns the page and its files.
func perform(ctx context.Context, set settings, match *regexp.Regexp) (page string, files map[string][]byte, err error) {
	l := &lab{settings: set, ctx: ctx}
	began, load := time.Now(), loadAverage()
	var parts string
	files = map[string][]byte{}
	for _, e := range experiments {
		if !match.MatchString(e.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%4.0f s  %s\n", time.Since(began).Seconds(), e.title)
		s, err := l.measured(e)
		if err != nil {
			return "", nil, fmt.Errorf("experiment %s: %w", e.name, err)
		}
		parts += s.text(e.title)
		maps.Copy(files, s.files)
	}
	if parts == "" {
		return "", nil, fmt.Errorf("no experiment matches %q", match)
	}
	return set.introduction(began, load) + parts, files, nil
}

// measured makes an experiment, and makes it again if the machine was loaded meanwhile. The load decides about that, not
// the results.
func (l *lab) measured(e experiment) (s section, err error) {
	for n := range l.attempts {
		l.load = newLoad(l.compute)
		if s, err = e.do(l); err == nil {
			err = l.ctx.Err()
		}
		if err != nil {
			return s, err
		}
		if s.load, s.loaded = l.load.end(); !s.loaded {
			break
		}
		if n+1 < l.attempts {
			fmt.Fprintf(os.Stderr, "        %s: measuring this again\n", s.load)
		}
	}
	return s, nil
}

// measure times the contenders in rounds, in samples of n operations if n is not zero.
func (l *lab) measure(n int, contenders ...bench.Contender) ([]series, error) {
	values, err := bench.Rounds(l.ctx, contenders, bench.Plan{Rounds: l.rounds, Sample: l.sample, N: n, Limit: limit, Least: leastRounds},
		func(int, int) { l.load.lap() })
	all := make([]series, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all, err
}
