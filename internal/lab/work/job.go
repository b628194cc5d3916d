// Package work is what the lab's experiments do. Most of it runs in the lab's own process; what needs a process of its
// own, because it is traced or profiled from the beginning, is a Job.
package work

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
)

// A Job runs in a process of its own.
type Job struct {
	Name  string // sieve, value, returned, passed, copied, pointed, pingpong, pingpong-one, pingpong-both or sizes
	N     int    // the limit of the sieve; how often elsewhere
	Procs int    // GOMAXPROCS, if it is not zero
	Trace string // the file for an execution trace of the work, if it is not empty
	Late  bool   // write the trace when the work is done: writing it takes Ps from threads, keeping it takes heap
}

// A Done is what a Job came to.
type Done struct {
	Took  time.Duration // the work, without what the process needs to start and end
	Sizes Sizes         // of the job that is named so
}

const variable = "THREADCALL_LAB_JOB"

// Run runs the job in this program, started once more. The program must call MaybeRun.
func Run(j Job) (Done, error) {
	var done Done
	text, err := json.Marshal(j)
	if err != nil {
		return done, err
	}
	cmd, err := testutil.Command()
	if err != nil {
		return done, err
	}
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := err.(*exec.ExitError); ok {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return done, fmt.Errorf("the process for %s: %w", j.Name, err)
	}
	if err := json.Unmarshal(out, &done); err != nil {
		return done, fmt.Errorf("the process for %s wrote %q: %w", j.Name, out, err)
	}
	return done, nil
}

// MaybeRun does nothing, unless this process was started by Run. Then it does the job and ends the process. It belongs
// at the beginning of main or TestMain.
func MaybeRun() {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var j Job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		var done Done
		if done, err = j.do(); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(done)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

var works = map[string]func(n int){
	"sieve":         func(n int) { Sieve(n) },
	"value":         ByValue,
	"returned":      ByReturnedPointer,
	"passed":        ByPassedPointer,
	"copied":        Copied,
	"pointed":       Pointed,
	"pingpong":      func(n int) { PingPong(n, false, false) },
	"pingpong-one":  func(n int) { PingPong(n, false, true) },
	"pingpong-both": func(n int) { PingPong(n, true, true) },
}

func (j Job) do() (done Done, err error) {
	if j.Procs > 0 {
		runtime.GOMAXPROCS(j.Procs)
	}
	if j.Name == "sizes" {
		done.Sizes = measureSizes()
		return done, nil
	}
	work, ok := works[j.Name]
	if !ok {
		return done, fmt.Errorf("there is no job %q", j.Name)
	}
	if j.Trace != "" {
		file, err := os.Create(j.Trace)
		if err != nil {
			return done, err
		}
		var kept bytes.Buffer
		var to io.Writer = file
		if j.Late {
			to = &kept
		}
		if err := trace.Start(to); err != nil {
			return done, err
		}
		defer func() {
			trace.Stop()
			_, e := kept.WriteTo(file)
			err = errors.Join(err, e, file.Close())
		}()
	}
	took := make(chan time.Duration)
	go perform(work, j.N, took)
	done.Took = <-took
	return done, nil
}

// perform does the work on a goroutine of its own, because package mainthread has locked the main one.
func perform(work func(n int), n int, took chan<- time.Duration) {
	start := time.Now()
	work(n)
	took <- time.Since(start)
}
