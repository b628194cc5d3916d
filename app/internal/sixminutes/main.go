// Command sixminutes repeats the measurement with which the article "Scheduling Function Calls with Zero Allocation"
// ends: two windows, open for six minutes, and how the heap grows. It does so for the article's designs and for
// threadcall, each in a process of its own, and prints a table. They run at the same time, so that what else the machine
// does happens to all of them.
//
//	go run ./app/internal/sixminutes -for 6m -svg docs/app-heap.svg
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"time"
)

type settings struct {
	duration time.Duration
	warmUp   time.Duration
	designs  string
	svg      string
	samples  string
	profile  string
	only     string // the design that this process measures
}

func main() {
	runtime.LockOSThread() // the main thread, which some designs serve by themselves
	var set settings
	flag.DurationVar(&set.duration, "for", 6*time.Minute, "how `long` to measure each design")
	flag.DurationVar(&set.warmUp, "warm-up", 5*time.Second, "how `long` to show the windows before that")
	flag.StringVar(&set.designs, "designs", strings.Join(names(), ","), "which designs, separated by commas")
	flag.StringVar(&set.svg, "svg", "", "draw the heap to `FILE`")
	flag.StringVar(&set.samples, "samples", "", "write all samples to `FILE`, as JSON")
	flag.StringVar(&set.profile, "profile", "", "write what allocates to `FILE` and the design's name, for go tool pprof")
	flag.StringVar(&set.only, "only", "", "measure this `design` in this process and print its samples as JSON")
	flag.Parse()
	do := set.all
	if set.only != "" {
		do = set.one
	}
	if err := do(os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "sixminutes: %v\n", err)
		os.Exit(1)
	}
}

func (set settings) validate() error {
	if set.duration < 2*sampleEvery {
		return fmt.Errorf("-for %v: at least %v are needed to see anything", set.duration, 2*sampleEvery)
	}
	if set.warmUp < 0 {
		return fmt.Errorf("-warm-up %v: it cannot be negative", set.warmUp)
	}
	for name := range strings.SplitSeq(set.designs, ",") {
		if find(name) == nil {
			return fmt.Errorf("-designs %s: there is no %q; there are %s", set.designs, name, strings.Join(names(), ", "))
		}
	}
	return nil
}

// all measures all designs.
func (set settings) all(out io.Writer) error {
	if err := set.validate(); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	designs := strings.Split(set.designs, ",")
	fmt.Fprintf(os.Stderr, "sixminutes: this takes %v\n", set.warmUp+set.duration)
	results, failures := make([]result, len(designs)), make([]error, len(designs))
	var running sync.WaitGroup
	for i, name := range designs {
		running.Go(func() { results[i], failures[i] = set.measure(self, name) })
	}
	running.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d cores, %s %s/%s\n\n%s", runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, table(results))
	return errors.Join(
		create(set.samples, func(f io.Writer) error { return json.NewEncoder(f).Encode(results) }),
		create(set.svg, func(f io.Writer) error { return writePicture(f, results) }))
}

// measure measures one design in a process of its own.
func (set settings) measure(self, name string) (r result, err error) {
	cmd := exec.Command(self, "-only", name, "-for", set.duration.String(), "-warm-up", set.warmUp.String())
	if set.profile != "" {
		cmd.Args = append(cmd.Args, "-profile", set.profile+"."+name)
	}
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return r, err
}

// create writes a file, unless it has no name.
func create(file string, write func(io.Writer) error) error {
	if file == "" {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// one measures one design. It runs on the main thread.
func (set settings) one(out io.Writer) error {
	d := find(set.only)
	if d == nil {
		return fmt.Errorf("-only %s: there are %s", set.only, strings.Join(names(), ", "))
	}
	if set.profile != "" {
		runtime.MemProfileRate = 1
	}
	m := newMeter(set.warmUp, set.duration)
	if err := d.run(m); err != nil {
		return err
	}
	if set.profile != "" {
		allocs := func(f io.Writer) error { return pprof.Lookup("allocs").WriteTo(f, 0) }
		if err := create(set.profile, allocs); err != nil {
			return err
		}
	}
	return json.NewEncoder(out).Encode(result{d.name, m.samples, m.live})
}
