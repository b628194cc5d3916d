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
	p := bench.Phases{Name: "Phase", Match: new(regexp.Regexp), Sides: new(regexp.Regexp)}
	flag.IntVar(&p.Rounds, "rounds", 6, "")
	flag.DurationVar(&p.For, "for", 400*time.Millisecond, "of each phase")
	flag.Uint64Var(&p.Seed, "seed", uint64(time.Now().UnixNano())%1e6, "of the order")
	all := regexp.MustCompile("")
	flag.TextVar(p.Match, "phase", all, "a regular expression")
	flag.TextVar(p.Sides, "subject", all, "a regular expression")
	flag.StringVar(&p.List, "list", "", "crowds, posts or pools in place of the other phases")
	crowded := flag.Bool("crowded", false, "two processes compute all the time")
	flag.Parse()
	if p.List != "" {
		p.Name = fmt.Sprintf("Cores%d", min(runtime.NumCPU(), runtime.GOMAXPROCS(0)))
	}
	if *crowded {
		p.Name = "Crowded"
		stop, err := bench.Background(2, 0)
		if err != nil {
			return err
		}
		defer stop()
	}
	p.Run(os.Stdout)
	return nil
}
