package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// trace runs the job with tracing on, and reads the trace as threadcall trace does.
func (j job) trace() (*report.Report, error) {
	file, err := os.CreateTemp("", "threadcall-lab-*.trace")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	j.Trace = file.Name()
	if err := j.run(); err != nil {
		return nil, err
	}
	r, err := read.Trace(file, read.Options{})
	if err != nil {
		return nil, fmt.Errorf("the trace of %s: %w", j.Name, err)
	}
	if r.Trace.Truncated || r.Trace.Events == 0 {
		return nil, fmt.Errorf("the trace of %s has %d events: %s", j.Name, r.Trace.Events, strings.Join(r.Warnings, "; "))
	}
	return r, nil
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
