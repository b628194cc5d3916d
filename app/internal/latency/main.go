// Command latency compares windows of package app with the loop that most programs with GLFW have: one thread that waits for events and
// draws all windows. It shows two windows at different rates, moves the mouse over one of them, calls the main thread from
// another goroutine now and then, and prints in Markdown when frames began, how long input took to its handler and a
// call there and back, and the CPU time, for several values of GOMAXPROCS.
//
// Each measurement is a process of its own; those of the two designs are interleaved.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	runtime.LockOSThread() // the main thread, which one of the designs serves by itself
	var p plan
	flag.DurationVar(&p.duration, "for", 3*time.Second, "how `long` to measure each time")
	flag.IntVar(&p.rounds, "rounds", 3, "how `often` to measure each design with each value of GOMAXPROCS")
	flag.IntVar(&p.computing, "computing", 0, "how many `goroutines` compute meanwhile")
	flag.DurationVar(&p.draw, "draw", 0, "how `long` the drawing of a frame computes, besides clearing the window")
	procs := flag.String("procs", "1,2,4", "the `values` of GOMAXPROCS")
	rates := flag.String("rates", "30,75", "frames a second of the windows, two `numbers`")
	only := flag.String("only", "", "measure this `design` in this process, and print what a parent reads")
	flag.Parse()
	var err error
	if p.procs, err = numbers(*procs); err == nil {
		p.rates, err = numbers(*rates)
	}
	switch {
	case err != nil:
	case len(p.rates) != windows:
		err = fmt.Errorf("-rates %s: %d numbers are needed", *rates, windows)
	case *only != "":
		err = one(*only, p)
	default:
		err = all(p)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "latency: %v\n", err)
		os.Exit(1)
	}
}

// A plan says what is measured.
type plan struct {
	duration, draw    time.Duration
	rounds, computing int
	procs, rates      []int
}

func numbers(list string) (all []int, err error) {
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a list of positive numbers", list)
		}
		all = append(all, n)
	}
	return all, nil
}

// all measures both designs, and prints a table.
func all(p plan) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	user, err := newUser()
	if err != nil {
		return err
	}
	columns := make([][]column, len(p.procs))
	for i := range columns {
		columns[i] = make([]column, len(designs))
	}
	for round := range p.rounds {
		for i, procs := range p.procs {
			for j := range designs {
				j := (j + round) % len(designs)
				fmt.Fprintf(os.Stderr, "\rround %d of %d, GOMAXPROCS=%d, %-20s", round+1, p.rounds, procs, designs[j].title)
				cmd := exec.Command(self, "-only", designs[j].name, "-for", p.duration.String(), "-draw", p.draw.String(),
					"-computing", strconv.Itoa(p.computing), "-rates", fmt.Sprintf("%d,%d", p.rates[0], p.rates[1]))
				cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(procs))
				stop := user.act()
				text, err := cmd.Output()
				moves := stop()
				var r result
				if err == nil {
					err = json.Unmarshal(text, &r)
				}
				if err != nil {
					if failed, ok := errors.AsType[*exec.ExitError](err); ok {
						os.Stderr.Write(failed.Stderr)
					}
					return fmt.Errorf("%s: %w", designs[j].name, err)
				}
				columns[i][j].add(r, moves)
			}
		}
	}
	fmt.Fprintln(os.Stderr)
	return write(os.Stdout, p, columns)
}

// one measures one design and prints the result as JSON. It runs on the main thread.
func one(name string, p plan) error {
	for _, d := range designs {
		if d.name == name {
			m := newMeter(p)
			if err := d.run(m); err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(m.result())
		}
	}
	return fmt.Errorf("there is no design %q", name)
}
