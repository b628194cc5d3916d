// Package source gets execution traces: from a file, from the tests of packages, or from a command that records one.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// A Request says where traces are to come from. Just one of File, Packages and Command must be set.
type Request struct {
	File     string   // of a trace; - is the standard input
	Packages []string // patterns of packages whose tests are to be run, as for the go command
	Command  []string // that is to be run: a program that imports package recorder, or what starts one

	Tests Tests  // of Packages
	Keep  string // the file that a recorded trace is to stay in; if it is empty, the trace goes when it has been read

	Stdout, Stderr io.Writer         // for what the tests or the command write; nil discards it
	Doing          func(what string) // is told what takes time now; may be nil
}

// A Trace is read once, from the beginning.
type Trace struct {
	io.Reader
	Name   string // what it is of, for people
	Size   int64  // in bytes; negative if it is not known
	Failed error  // how the tests or the command that recorded it have failed, if they did
}

// Classify tells whether args, as a user gave them, name a file with a trace or packages.
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

// Open gets the traces: one, or one for each package that has tests, each when the one before has been read. A trace
// must not be used after the loop has gone on.
//
// An error says why there is no trace; with several packages, others may follow. Tests and commands that fail leave
// a trace nevertheless, which tells so. When ctx is done, what runs is interrupted, and its trace up to there comes
// as the last one.
func Open(ctx context.Context, r Request) iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		if err := r.check(); err != nil {
			yield(nil, err)
			return
		}
		switch {
		case r.File != "":
			r.openFile(yield)
		case len(r.Packages) > 0:
			r.runTests(ctx, yield)
		default:
			r.runCommand(ctx, yield)
		}
	}
}

func (r Request) check() error {
	given := 0
	for _, is := range []bool{r.File != "", len(r.Packages) > 0, len(r.Command) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return errors.New("no trace is asked for; give a file, packages, or a command after --")
	case given > 1:
		return errors.New("a file, packages and a command exclude each other")
	case r.File != "" && r.Keep != "":
		return fmt.Errorf("%s is a file already; only a trace that is recorded now can be kept", r.File)
	case len(r.Packages) == 0 && r.Tests != (Tests{}):
		return errors.New("flags of go test are for packages")
	}
	return nil
}

func (r Request) doing(format string, args ...any) {
	if r.Doing != nil {
		r.Doing(fmt.Sprintf(format, args...))
	}
}
