package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A traced is what the trace of a job has.
type traced struct {
	*report.Report // as of threadcall trace
	events
}

// trace runs the job with tracing on, and reads the trace.
func (l *lab) trace(j job) (t traced, err error) {
	file, err := os.CreateTemp("", "threadcall-lab-*.trace")
	if err != nil {
		return t, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	j.Trace = file.Name()
	if err := l.run(j); err != nil {
		return t, err
	}
	if t.Report, err = read.Trace(file, read.Options{}); err != nil {
		return t, fmt.Errorf("the trace of %s: %w", j.Name, err)
	}
	if t.Trace.Truncated || t.Trace.Events == 0 {
		return t, fmt.Errorf("the trace of %s has %d events: %s", j.Name, t.Trace.Events, strings.Join(t.Warnings, "; "))
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return t, err
	}
	if t.events, err = scan(file); err != nil {
		return t, fmt.Errorf("the trace of %s: %w", j.Name, err)
	}
	return t, nil
}

// traces runs jobs with tracing on, interleaved, in as many rounds as a median with bounds needs. Its result is by job
// and round.
func (l *lab) traces(jobs ...job) ([][]traced, error) {
	all := make([][]traced, len(jobs))
	for range leastRounds {
		for i, j := range jobs {
			t, err := l.trace(j)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], t)
		}
	}
	return all, nil
}

// each returns a number of each of the traces.
func each(all []traced, number func(traced) float64) (s series) {
	for _, t := range all {
		s = append(s, number(t))
	}
	return s
}

// function sums up the goroutines that began with the function of this program whose name this is, or with one inside it.
func function(r *report.Report, name string) (sum report.Function) {
	for _, f := range r.Functions {
		_, short, _ := strings.Cut(f.Name[strings.LastIndex(f.Name, "/")+1:], ".")
		if short == name || strings.HasPrefix(short, name+".") {
			sum.Goroutines += f.Goroutines
			sum.Executions += f.Executions
			sum.Moves += f.Moves
		}
	}
	return sum
}

// sweeps returns how often the runtime's sweeping goroutine ran.
func sweeps(r *report.Report) (executions uint64) {
	for _, f := range r.Functions {
		if f.Name == "runtime.bgsweep" {
			executions += f.Executions
		}
	}
	return executions
}

// counted returns the number of the events with the name.
func counted(all []report.Count, name string) (n float64) {
	for _, c := range all {
		if c.Name == name {
			n += float64(c.N)
		}
	}
	return n
}
