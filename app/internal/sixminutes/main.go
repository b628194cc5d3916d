// Command sixminutes repeats the measurement with which the article "Scheduling Function Calls with Zero Allocation"
// ends: two windows, open for six minutes, and how the heap grows. It does so for the article's designs and for
// threadcall, each in a process of its own, at the same time, so that whatever else the machine does affects all of them,
// and prints a table in Markdown.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

func main() {
	runtime.LockOSThread() // the main thread, which some designs serve by themselves
	duration := flag.Duration("for", 6*time.Minute, "how `long` to measure")
	only := flag.String("only", "", "measure this `design` in this process")
	flag.Parse()
	var err error
	switch {
	case *duration < 2*sampleEvery:
		err = fmt.Errorf("-for %v: it must be at least %v", *duration, 2*sampleEvery)
	case *only != "":
		err = one(*only, *duration)
	default:
		err = all(*duration)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sixminutes: %v\n", err)
		os.Exit(1)
	}
}

// all measures all designs, each in a process of its own.
func all(duration time.Duration) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	columns, failures := make([][]string, len(designs)), make([]error, len(designs))
	var running sync.WaitGroup
	for i, d := range designs {
		running.Go(func() {
			cmd := exec.Command(self, "-only", d.name, "-for", duration.String())
			cmd.Stderr = os.Stderr
			if text, err := cmd.Output(); err != nil {
				failures[i] = fmt.Errorf("%s: %w", d.name, err)
			} else {
				failures[i] = json.Unmarshal(text, &columns[i])
			}
		})
	}
	end := progress(duration)
	running.Wait()
	end()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	fmt.Print("| |")
	for _, d := range designs {
		fmt.Printf(" %s |", d.title)
	}
	fmt.Print("\n| --- | --- | --- | --- | --- |\n| heap growth in the article | 1.41 MiB | 0.32 MiB | | |\n")
	for i, name := range rows {
		fmt.Printf("| %s |", name)
		for _, c := range columns {
			fmt.Printf(" %s |", c[i])
		}
		fmt.Println()
	}
	return nil
}

// progress prints how much of the time is over until it is ended.
func progress(duration time.Duration) (end func()) {
	start, over, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.NewTicker(sampleEvery); ; {
			select {
			case <-over:
				fmt.Fprintln(os.Stderr)
				return
			case <-tick.C:
				fmt.Fprintf(os.Stderr, "\rmeasuring: %v of %v", time.Since(start).Round(time.Second), duration)
			}
		}
	}()
	return func() { close(over); <-ended }
}

// one measures one design and prints its column as JSON. It runs on the main thread.
func one(name string, duration time.Duration) error {
	for _, d := range designs {
		if d.name == name {
			m := &meter{duration: duration, ended: make(chan struct{})}
			if err := d.run(m); err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(m.column())
		}
	}
	return fmt.Errorf("there is no design %q", name)
}
