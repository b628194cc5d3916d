// Package source gets execution traces: from a file, from go test, or from a command that records
// one.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Request is where a trace is to come from. Exactly one of File, Packages and Command must be
// set.
type Request struct {
	File     string   // of a trace; - is the standard input
	Packages []string // whose tests go test is to run, which refuses to trace several
	Command  []string // that is to be run: a program that imports package recorder, or its starter

	TestFlags []string // of go test: "-run=X"
	Keep      string   // the file that a trace is recorded into; empty for a temporary one

	Stdout, Stderr io.Writer // for what the tests or the command write; nil discards it
}

// A Trace is read once, from its start.
type Trace struct {
	io.ReadCloser
	Name   string // what it is of, for people
	Failed error  // how the tests or the command that recorded it have failed, if they did
}

// Classify decides whether args, as a user gave them, name a file with a trace or packages.
func Classify(args []string) (file string, packages []string, err error) {
	for _, arg := range args {
		at, err := os.Stat(arg)
		isFile := arg == "-" || err == nil && !at.IsDir()
		switch {
		case isFile && len(args) > 1:
			return "", nil, fmt.Errorf("%s is a file, and only one can be read at a time", arg)
		case isFile:
			return arg, nil, nil
		}
	}
	return "", args, nil
}

// Open gets the trace, which must be closed. An error has the reason why there is none. Tests and
// commands that fail leave a trace nevertheless, with the failure. When ctx is done, what runs is
// interrupted, and the trace is that up to there.
func Open(ctx context.Context, r Request) (*Trace, error) {
	switch {
	case r.File == "-":
		return &Trace{ReadCloser: os.Stdin, Name: "standard input"}, nil
	case r.File != "":
		file, err := os.Open(r.File)
		return &Trace{ReadCloser: file, Name: r.File}, err
	case len(r.Packages) > 0:
		packages := strings.Join(r.Packages, " ")
		none := fmt.Errorf("go test has left no trace of %s, which is not a file; a package without "+
			"tests has none, and its TestMain must not end the process before m.Run has returned", packages)
		return r.record(ctx, "go test "+packages, none, func(dir, trace string) *exec.Cmd {
			flags := []string{"test", "-o", filepath.Join(dir, "test.exe"), "-trace", trace}
			return exec.Command("go", slices.Concat(flags, r.TestFlags, r.Packages)...)
		})
	}
	name := strings.Join(r.Command, " ")
	return r.record(ctx, name, noTrace(name), func(_, trace string) *exec.Cmd {
		cmd := exec.Command(r.Command[0], r.Command[1:]...)
		cmd.Stdin, cmd.Env = os.Stdin, append(os.Environ(), "THREADCALL_TRACE="+trace)
		return cmd
	})
}

// record runs the command that prepare returns, which gets a temporary directory and the file for
// the trace, and returns its trace under a name. Without a trace, the error is none.
func (r Request) record(ctx context.Context, name string, none error,
	prepare func(dir, trace string) *exec.Cmd) (t *Trace, err error) {
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			scratch.Remove()
		}
	}()
	trace := filepath.Join(scratch.Dir, "trace")
	if r.Keep != "" { // to know before anything has run whether it can be written
		if trace, err = filepath.Abs(r.Keep); err == nil {
			err = os.WriteFile(trace, nil, 0o666)
		}
		if err != nil {
			return nil, fmt.Errorf("the trace cannot be kept: %w", err)
		}
	}
	cmd := prepare(scratch.Dir, trace)
	cmd.Stdout, cmd.Stderr = r.Stdout, r.Stderr
	// The runtime completes a part of the trace after each period, every second by default, which can
	// then be read even if the process is killed. Of two values it takes the later one, the user's.
	period := (200 * time.Millisecond).Nanoseconds()
	debug := fmt.Sprintf("GODEBUG=traceadvanceperiod=%d,%s", period, os.Getenv("GODEBUG"))
	cmd.Env = append(cmd.Environ(), strings.TrimSuffix(debug, ","))
	failed := gotest.Run(ctx, cmd)
	switch {
	case failed != nil && cmd.Process == nil:
		return nil, failed
	case failed != nil && ctx.Err() != nil:
		failed = fmt.Errorf("%s: interrupted: %w", name, failed)
	case failed != nil:
		failed = fmt.Errorf("%s: %w", name, failed)
	}
	const header = 16 // of a trace
	if at, err := os.Stat(trace); err != nil || at.Size() <= header {
		return nil, errors.Join(failed, none)
	}
	file, err := os.Open(trace)
	return &Trace{recording{file, scratch}, name, failed}, err
}

// A recording is a file with a trace, perhaps in a temporary directory.
type recording struct {
	*os.File
	scratch *gotest.Scratch
}

func (r recording) Close() error { return errors.Join(r.File.Close(), r.scratch.Remove()) }

func noTrace(name string) error {
	return fmt.Errorf(`%s has left no trace. The last two of these lines must begin its main function,
and a program that ends by os.Exit or log.Fatal must call recorder.Stop before:
	import "github.com/threadcall/threadcall/recorder"
	recorder.Start()
	defer recorder.Stop()`, name)
}
