package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"
	"github.com/threadcall/threadcall/internal/testutil"
)

// A job runs in a process of its own, because it is traced or profiled from the beginning.
type job struct {
	Name    string        // in works
	N       int           // the limit of the sieve; how often elsewhere
	Procs   int           // GOMAXPROCS, if it is not zero
	Trace   string        // the file for an execution trace of the work, if it is not empty
	Late    bool          // write the trace when the work is done: writing it takes Ps from threads, keeping it takes heap
	CPU     string        // the file for a CPU profile of the work, if it is not empty
	Heap    string        // the file for a profile of all that the work allocates, if it is not empty
	Keep    bool          // no collection
	Lasting time.Duration // the work is done again until so much has passed
}

const variable = "THREADCALL_LAB_JOB"

// run runs the job in this program, started once more. The program must call maybeRunJob.
func (l *lab) run(j job) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
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
	l.load.lap()
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
		if j.Heap != "" {
			runtime.MemProfileRate = 1
		}
		err = j.do()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

var works = map[string]func(n int){
	"sieve":    func(n int) { runSieve(n) },
	"values":   subject.Values,
	"ups":      subject.Ups,
	"copied":   subject.Copies,
	"pointed":  subject.Pointers,
	"sleeps":   func(n int) { exchange(n, time.Sleep) },
	"syscalls": func(n int) { exchange(n, blockThread) },
	"calls":    naiveCalls,
	"blocked":  blockedSenders,
}

func (j job) do() (err error) {
	if j.Procs > 0 {
		runtime.GOMAXPROCS(j.Procs)
	}
	if j.Keep {
		debug.SetGCPercent(-1)
	}
	var ends []func() error
	if j.Trace != "" {
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
		ends = append(ends, func() error {
			trace.Stop()
			_, err := kept.WriteTo(file)
			return errors.Join(err, file.Close())
		})
	}
	if j.CPU != "" {
		file, err := os.Create(j.CPU)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		ends = append(ends, func() error {
			pprof.StopCPUProfile()
			return file.Close()
		})
	}
	if j.Heap != "" {
		ends = append(ends, func() error {
			file, err := os.Create(j.Heap)
			if err != nil {
				return err
			}
			runtime.GC() // or the profile lacks what is newest
			return errors.Join(pprof.Lookup("allocs").WriteTo(file, 0), file.Close())
		})
	}
	ended := make(chan bool)
	go func() { // because package mainthread has locked the main goroutine
		defer close(ended)
		trace.WithRegion(context.Background(), work, j.work)
	}()
	<-ended
	for _, end := range ends {
		err = errors.Join(err, end())
	}
	return err
}

func (j job) work() {
	for start := time.Now(); ; {
		works[j.Name](j.N)
		if time.Since(start) >= j.Lasting {
			return
		}
	}
}
