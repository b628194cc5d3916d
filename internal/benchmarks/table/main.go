// Command table measures threadcall on the real main thread, the reference and the floor in turns, and prints how they
// compare and what the goals are.
//
//	go run ./internal/benchmarks/table [-rounds 5] [-d 300ms] [-run regexp] [-json]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/workload"
	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	workload.MaybeBurn()
	rounds := flag.Int("rounds", 5, "measure everything `n` times")
	d := flag.Duration("d", 300*time.Millisecond, "take this `time` for each measurement, and longer if it needs more")
	only := flag.String("run", "", "measure only the loads whose names match the `regexp`")
	asJSON := flag.Bool("json", false, "print the rows as JSON, with every round")
	flag.Parse()
	names, err := regexp.Compile(*only)
	if err == nil && (*rounds < 1 || *d <= 0 || flag.NArg() > 0) {
		err = fmt.Errorf("want at least one round, some time and no arguments")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(2)
	}
	mainthread.Init(func() {
		t := table{
			About: fmt.Sprintf("%d rounds of %v on %s/%s, %d cores, GOMAXPROCS %d, %s",
				*rounds, *d, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.Version()),
		}
		start := time.Now()
		before, known := otherPrograms()
		for _, l := range loads {
			if !names.MatchString(l.name) {
				continue
			}
			s, err := l.measure(*rounds, *d, os.Stderr)
			if err != nil {
				fmt.Fprintf(os.Stderr, "table: without %s: %v\n", l.name, err)
				continue
			}
			for _, c := range l.comparisons {
				if r, ok := c.row(s); ok {
					t.Rows = append(t.Rows, r)
				}
			}
		}
		if after, _ := otherPrograms(); known {
			t.About += fmt.Sprintf("; others used %.0f %% of the cores",
				100*float64(after-before)/float64(time.Since(start))/float64(runtime.NumCPU()))
		}
		if *asJSON {
			err = json.NewEncoder(os.Stdout).Encode(t)
		} else {
			err = t.print(os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "table:", err)
			os.Exit(1)
		}
	})
}
