package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/trace"

	"github.com/threadcall/threadcall/internal/testutil"
)

// A job runs in a process of its own, because it is traced or profiled from the beginning.
type job struct {
	Name  string // sieve, value, returned, passed, copied, pointed, pingpong, pingpong-one, pingpong-both or sizes
	N     int    // the limit of the sieve; how often elsewhere
	Procs int    // GOMAXPROCS, if it is not zero
	Trace string // the file for an execution trace of the work
	Late  bool   // write the trace when the work is done: writing it takes Ps from threads, keeping it takes heap
}

// A done is the result of a job.
type done struct {
	Sizes sizes // of the job that is named so
}

const variable = "THREADCALL_LAB_JOB"

// run runs the job in this program, started once more. The program must call maybeRunJob.
func (j job) run() (d done, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return d, err
	}
	cmd, err := testutil.Command()
	if err != nil {
		return d, err
	}
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &d)
	}
	if err != nil {
		err = fmt.Errorf("the process for %s: %w: %s", j.Name, err, problems.String())
	}
	return d, err
}

// maybeRunJob does nothing, unless this process was started by run. Then it does the job and ends the process.
func maybeRunJob() {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var j job
	var d done
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		d, err = j.do()
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(d)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

var works = map[string]func(n int){
	"sieve":         func(n int) { runSieve(n) },
	"value":         byValues,
	"returned":      byReturnedPointers,
	"passed":        byPassedPointers,
	"copied":        copies,
	"pointed":       pointers,
	"pingpong":      func(n int) { playPingpong(n, false, false) },
	"pingpong-one":  func(n int) { playPingpong(n, false, true) },
	"pingpong-both": func(n int) { playPingpong(n, true, true) },
}

func (j job) do() (d done, err error) {
	if j.Procs > 0 {
		runtime.GOMAXPROCS(j.Procs)
	}
	if j.Name == "sizes" {
		d.Sizes = measureSizes()
		return d, nil
	}
	file, err := os.Create(j.Trace)
	if err != nil {
		return d, err
	}
	var kept bytes.Buffer
	var to io.Writer = file
	if j.Late {
		to = &kept
	}
	if err := trace.Start(to); err != nil {
		return d, err
	}
	ended := make(chan bool)
	go work(j, ended)
	<-ended
	trace.Stop()
	_, err = kept.WriteTo(file)
	return d, errors.Join(err, file.Close())
}

// work runs on a goroutine of its own, because package mainthread has locked the main one.
func work(j job, ended chan<- bool) {
	works[j.Name](j.N)
	close(ended)
}
