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

// A job runs in a process of its own, because it is traced from the beginning.
type job struct {
	Name  string // in works
	N     int    // the limit of the sieve; how often elsewhere
	Procs int    // GOMAXPROCS, if it is not zero
	Trace string // the file for an execution trace of the work
	Late  bool   // write the trace when the work is done: writing it takes Ps from threads, keeping it takes heap
}

const variable = "THREADCALL_LAB_JOB"

// run runs the job in this program, started once more. The program must call maybeRunJob.
func (j job) run() error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	cmd, err := testutil.Command()
	if err != nil {
		return err
	}
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the process for %s: %w: %s", j.Name, err, out)
	}
	return nil
}

// maybeRunJob does nothing, unless this process was started by run. Then it does the job and ends the process.
func maybeRunJob() {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var j job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = j.do()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

var works = map[string]func(n int){
	"sieve":   func(n int) { runSieve(n) },
	"copied":  copies,
	"pointed": pointers,
}

func (j job) do() error {
	if j.Procs > 0 {
		runtime.GOMAXPROCS(j.Procs)
	}
	file, err := os.Create(j.Trace)
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	var to io.Writer = file
	if j.Late {
		to = &kept
	}
	if err := trace.Start(to); err != nil {
		return err
	}
	ended := make(chan bool)
	go func() { // because package mainthread has locked the main goroutine
		works[j.Name](j.N)
		close(ended)
	}()
	<-ended
	trace.Stop()
	_, err = kept.WriteTo(file)
	return errors.Join(err, file.Close())
}
