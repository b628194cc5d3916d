// Phases measures this engine, the channel and spinning in phases that follow one another in one
// process. It writes results, of which package plots prints a table:
//
//	go run ./rig/bench/phases >phases.txt
//	go run ./rig/plots phases.txt
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/rig/bench"
)

func main() {
	bench.MaybeBurn()
	mainthread.Init(func() {
		if err := run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	})
}

func run() error {
	var p bench.Phases
	flag.IntVar(&p.Rounds, "rounds", 6, "")
	flag.DurationVar(&p.For, "for", 400*time.Millisecond, "of each phase")
	flag.Uint64Var(&p.Seed, "seed", uint64(time.Now().UnixNano())%1e6, "of the order")
	match := flag.String("phase", "", "a regular expression; all phases if empty")
	sides := flag.String("subject", "", "a regular expression; all subjects if empty")
	neighbour := flag.Bool("neighbour", false, "another process computes 1 ms in 10")
	flag.StringVar(&p.List, "list", "", "crowds, posts or pools in place of the other phases")
	crowded := flag.Bool("crowded", false, "two processes compute all the time")
	flag.Parse()
	p.Name = "Phase"
	if p.List != "" {
		p.Name = fmt.Sprintf("Cores%d", min(runtime.NumCPU(), runtime.GOMAXPROCS(0)))
	}
	if *neighbour || *crowded {
		processes, sleep := 1, 9*time.Millisecond
		if *crowded {
			processes, sleep, p.Name = 2, 0, "Crowded"
		}
		stop, err := bench.Background(processes, sleep)
		if err != nil {
			return err
		}
		defer stop()
	}
	var err error
	if p.Match, err = regexp.Compile(*match); err != nil {
		return err
	}
	if p.Sides, err = regexp.Compile(*sides); err != nil {
		return err
	}
	p.Run(os.Stdout)
	return nil
}
