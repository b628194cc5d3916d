package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	moremath "github.com/aclements/go-moremath/stats"
)

// nameOf returns a benchmark's name without the number of processors.
func nameOf(full string) string {
	name, _, _ := strings.Cut(full, "-")
	return name
}

// describe writes how often each way was wrong, as a table in Markdown.
func describe(out io.Writer, ways []way, trials []trial, n int, seed uint64, load time.Duration, e effort) {
	fmt.Fprintf(out, "%d trials of each, in turns, of %d rounds of %s; seed %d; %s/%s, %d cores, %s; ",
		n, e.count, e.benchtime, seed, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	if load > 0 {
		fmt.Fprintf(out, "a load of none, one or two cores, which changes every %v on average.\n\n", load)
	} else {
		fmt.Fprint(out, "no load added.\n\n")
	}
	fmt.Fprintln(out, "| way | false alarms (nothing changed) | misses (10 % slower) | median of the change found | seconds a trial |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- |")
	for _, w := range ways {
		var alarms, misses int
		var changes, seconds []float64
		for _, t := range trials {
			if t.way != w.name {
				continue
			}
			if t.falseAlarm {
				alarms++
			}
			if t.miss {
				misses++
			} else {
				changes = append(changes, 100*t.change)
			}
			seconds = append(seconds, t.took.Seconds())
		}
		change := "none found"
		if changes != nil {
			change = fmt.Sprintf("%+.1f %%", middle(changes))
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %.1f |\n", w.name, share(alarms, n), share(misses, n), change, middle(seconds))
	}
}

func share(of, all int) string {
	return fmt.Sprintf("%d of %d (%.0f %%)", of, all, 100*float64(of)/float64(all))
}

func middle(values []float64) float64 { return moremath.Sample{Xs: values}.Quantile(0.5) }
