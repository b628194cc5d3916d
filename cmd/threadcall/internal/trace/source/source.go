// Package source gets execution traces: from a file, or from a command that records one.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Request is where a trace is to come from. Either File or Command must be set.
type Request struct {
	File    string   // of a trace; - is the standard input
	Command []string // that is to be run: a program that imports package recorder, or its starter
	Keep    string   // the file that a trace is recorded into; empty for a temporary one

	Stdout, Stderr io.Writer // for what the command writes; nil discards it
}

// A Trace is read once, from its start.
type Trace struct {
	*os.File
	Name    string // what it is of, for people
	Failed  error  // how the command that recorded it has failed, if it did
	scratch *gotest.Scratch
}

// Close closes the file, and removes it if it is a temporary one.
func (t *Trace) Close() (err error) {
	if t.scratch != nil {
		err = t.scratch.Remove()
	}
	return errors.Join(t.File.Close(), err)
}

// Open gets the trace, which must be closed. An error has the reason why there is none. Commands
// that fail leave a trace nevertheless, with the failure. When ctx is done, what runs is
// interrupted, and the trace is that up to there.
func Open(ctx context.Context, r Request) (t *Trace, err error) {
	switch {
	case r.File == "-":
		return &Trace{File: os.Stdin, Name: "standard input"}, nil
	case r.File != "":
		file, err := os.Open(r.File)
		return &Trace{File: file, Name: r.File}, err
	}
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			scratch.Remove()
		}
	}()
	trace, name := filepath.Join(scratch.Dir, "trace"), strings.Join(r.Command, " ")
	if r.Keep != "" { // to know before anything has run whether it can be written
		if trace, err = filepath.Abs(r.Keep); err == nil {
			err = os.WriteFile(trace, nil, 0o666)
		}
		if err != nil {
			return nil, fmt.Errorf("the trace cannot be kept: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, r.Command[0], r.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, r.Stdout, r.Stderr
	// The runtime completes a part of the trace after each period, every second by default, which can
	// then be read even if the process is killed. Of two values it takes the later one, the user's.
	period := (200 * time.Millisecond).Nanoseconds()
	debug := fmt.Sprintf("GODEBUG=traceadvanceperiod=%d,%s", period, os.Getenv("GODEBUG"))
	cmd.Env = append(os.Environ(), "THREADCALL_TRACE="+trace, strings.TrimSuffix(debug, ","))
	failed := gotest.Run(cmd)
	if failed != nil {
		if cmd.Process == nil {
			return nil, failed
		}
		if ctx.Err() != nil {
			failed = fmt.Errorf("interrupted: %w", failed)
		}
		failed = fmt.Errorf("%s: %w", name, failed)
	}
	const header = 16 // of a trace
	if at, err := os.Stat(trace); err != nil || at.Size() <= header {
		return nil, errors.Join(failed, fmt.Errorf(noTrace, name))
	}
	file, err := os.Open(trace)
	return &Trace{file, name, failed, scratch}, err
}

const noTrace = `%s has left no trace. The last two of these lines must begin its main function,
and a program that ends by os.Exit or log.Fatal must call recorder.Stop before:
	import "github.com/threadcall/threadcall/recorder"
	recorder.Start()
	defer recorder.Stop()`
