// Command trials finds out how often two ways to compare revisions are wrong, on the machine at hand and beside a load
// that comes and goes. It compares two revisions of package known, again and again, with threadcall bench, and with go
// test -count run for one revision after the other and benchstat. Both get the same rounds of the same length.
//
// BenchmarkSame is the same in both revisions: a difference that is said to be there is a false alarm. BenchmarkSlower
// does a tenth more work in the new one: a comparison that does not say slower misses it.
//
//	go run ./internal/bench/trials [-n 100] [-count 10] [-benchtime 20ms] [-load 2s] [-seed 1]
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// A trial says what one way to compare has found.
type trial struct {
	way        string
	falseAlarm bool // Same is said to differ
	miss       bool // Slower is not said to be slower
	change     float64
	took       time.Duration
}

func main() {
	if setting := os.Getenv(asLoad); setting != "" {
		var seed uint64
		var mean string
		_, _ = fmt.Sscan(setting, &seed, &mean)
		d, _ := time.ParseDuration(mean)
		beLoad(seed, d)
		return
	}
	n := flag.Int("n", 100, "how many `trials` of each way")
	count := flag.Int("count", 10, "how many `rounds` a trial has")
	benchtime := flag.String("benchtime", "20ms", "how long, `d`, a benchmark runs in a round")
	load := flag.Duration("load", 2*time.Second, "for how long on average, `d`, the load computes, and rests; 0 for no load")
	seed := flag.Uint64("seed", 1, "what the load and the order of the ways are drawn from")
	flag.Parse()
	if *n < 1 || *count < 2 || *load < 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "trials: want at least one trial, two rounds, no negative load and no arguments")
		os.Exit(2)
	}
	if err := perform(*n, *seed, *load, effort{*count, *benchtime}); err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		os.Exit(1)
	}
}

// An effort is what a trial may cost.
type effort struct {
	count     int
	benchtime string
}

func perform(n int, seed uint64, load time.Duration, e effort) error {
	dir, err := os.MkdirTemp("", "trials-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	os.Setenv("GOWORK", "off") // the revisions' module is in no workspace
	ways, err := prepare(dir)
	if err != nil {
		return err
	}
	if load > 0 {
		stop, err := startLoad(seed, load)
		if err != nil {
			return err
		}
		defer stop()
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var trials []trial
	for i := range n {
		for _, w := range random.Perm(len(ways)) {
			start := time.Now()
			t, err := ways[w].compare(filepath.Join(dir, fmt.Sprintf("%d-%d", i, w)), e)
			if err != nil {
				return fmt.Errorf("%s: %w", ways[w].name, err)
			}
			t.way, t.took = ways[w].name, time.Since(start)
			trials = append(trials, t)
		}
		fmt.Fprintf(os.Stderr, "%d of %d trials\n", i+1, n)
	}
	describe(os.Stdout, ways, trials, n, seed, load, e)
	return nil
}
