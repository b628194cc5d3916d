// Package source gets execution traces: from a file, from the tests of packages, or from a command
// that records one.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Request is where traces are to come from. Exactly one of File, Packages and Command must be
// set.
type Request struct {
	File     string   // of a trace; - is the standard input
	Packages []string // patterns of packages whose tests are to be run, as for the go command
	Command  []string // that is to be run: a program that imports package recorder, or its starter

	TestFlags []string // of the test binaries of Packages: "-test.run=X"
	Keep      string   // the file that a trace is recorded into; empty for a temporary one

	Stdout, Stderr io.Writer         // for what the tests or the command write; nil discards it
	Doing          func(what string) // is called with what takes time now
}

// A Trace is read once, from its start.
type Trace struct {
	io.Reader
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

// Open gets the traces: one, or one for each package that has tests, each when the one before has
// been read. A trace must not be used after the loop has gone on.
//
// An error has the reason why there is no trace; with several packages, others may follow. Tests
// and commands that fail leave a trace nevertheless, with the failure. When ctx is done, what runs
// is interrupted, and its trace up to there is the last one.
func Open(ctx context.Context, r Request) iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		switch {
		case r.File == "-":
			yield(&Trace{Reader: os.Stdin, Name: "standard input"}, nil)
		case r.File != "":
			read(r.File, r.File, nil, yield)
		case len(r.Packages) > 0:
			r.runTests(ctx, yield)
		default:
			name := strings.Join(r.Command, " ")
			r.record(ctx, yield, name, name, noTrace(name), func(_, trace string) (*exec.Cmd, error) {
				r.Doing("running " + name)
				cmd := exec.Command(r.Command[0], r.Command[1:]...)
				cmd.Stdin, cmd.Env = os.Stdin, append(os.Environ(), "THREADCALL_TRACE="+trace)
				return cmd, nil
			})
		}
	}
}

// runTests does what go test -trace does for each package, but compiles first: so a package that
// does not compile is not one whose tests fail, and an interrupt reaches the tests themselves.
func (r Request) runTests(ctx context.Context, yield func(*Trace, error) bool) {
	r.Doing("looking for the packages")
	tree := gotest.Tree{}
	packages, missing, err := tree.List(ctx, r.Packages...)
	if len(missing) > 0 {
		err = errors.New(strings.Join(missing, "\n"))
	}
	switch {
	case err != nil:
		err = r.noFile(err)
	case len(packages) == 0:
		err = fmt.Errorf("no tests in %s", strings.Join(r.Packages, " "))
	case r.Keep != "" && len(packages) > 1:
		err = fmt.Errorf("%d packages have tests, and each has a trace; to keep it in %s name one of "+
			"them, as %s", len(packages), r.Keep, packages[0].ImportPath)
	}
	if err != nil {
		yield(nil, err)
		return
	}
	for _, p := range packages {
		tests := "the tests of " + p.ImportPath
		none := errors.New(tests + " have left no trace: its TestMain may end the process before m.Run " +
			"has returned")
		more := r.record(ctx, yield, "go test "+p.ImportPath, tests+" have failed", none,
			func(dir, trace string) (*exec.Cmd, error) {
				binary := filepath.Join(dir, "test.exe")
				r.Doing("compiling " + tests)
				if err := tree.Build(ctx, p, binary); err != nil {
					return nil, err
				}
				r.Doing("running " + tests)
				flags := []string{"-test.paniconexit0", "-test.timeout=10m", "-test.trace=" + trace}
				cmd := exec.Command(binary, append(flags, r.TestFlags...)...)
				cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), "PWD="+p.Dir)
				return cmd, nil
			})
		if !more || ctx.Err() != nil {
			return
		}
	}
}

// noFile returns err, the reason why there are no packages, under the name that may be of a file
// that does not exist.
func (r Request) noFile(err error) error {
	for _, name := range r.Packages {
		if _, notThere := os.Stat(name); notThere != nil && !strings.Contains(name, "...") {
			reason := strings.TrimPrefix(err.Error(), "go list: exit status 1\n")
			reason, _, _ = strings.Cut(reason, "\n")
			return fmt.Errorf("there is no file %s, and no package: %s", name, reason)
		}
	}
	return err
}

// record runs the command that prepare returns, which gets a temporary directory and the file for
// the trace, and yields its trace under a name. If the command fails, the error begins with
// failing; without a trace, the error is none.
func (r Request) record(ctx context.Context, yield func(*Trace, error) bool, name, failing string,
	none error, prepare func(dir, trace string) (*exec.Cmd, error)) (more bool) {
	scratch, err := gotest.NewScratch()
	if err != nil {
		return yield(nil, err)
	}
	defer scratch.Remove()
	trace := filepath.Join(scratch.Dir, "trace")
	if r.Keep != "" { // to know before anything has run whether it can be written
		if trace, err = filepath.Abs(r.Keep); err == nil {
			err = os.WriteFile(trace, nil, 0o666)
		}
		if err != nil {
			return yield(nil, fmt.Errorf("the trace cannot be kept: %w", err)) && false
		}
	}
	cmd, err := prepare(scratch.Dir, trace)
	if err != nil {
		return yield(nil, err)
	}
	cmd.Stdout, cmd.Stderr = r.Stdout, r.Stderr
	// The runtime completes a part of the trace after each period, every second by default, which can
	// then be read even if the process is killed. Of two values it takes the later one, the user's.
	period := (200 * time.Millisecond).Nanoseconds()
	debug := fmt.Sprintf("GODEBUG=traceadvanceperiod=%d,%s", period, os.Getenv("GODEBUG"))
	cmd.Env = append(cmd.Env, strings.TrimSuffix(debug, ","))
	failed := gotest.Run(ctx, cmd)
	switch {
	case failed != nil && cmd.Process == nil:
		return yield(nil, failed)
	case failed != nil && ctx.Err() != nil:
		failed = fmt.Errorf("%s: interrupted: %w", failing, failed)
	case failed != nil:
		failed = fmt.Errorf("%s: %w", failing, failed)
	}
	const header = 16 // of a trace
	if at, err := os.Stat(trace); err != nil || at.Size() <= header {
		return yield(nil, errors.Join(failed, none))
	}
	return read(trace, name, failed, yield)
}

func noTrace(name string) error {
	return fmt.Errorf(`%s has left no trace. The last two of these lines must begin its main function,
and a program that ends by os.Exit or log.Fatal must call recorder.Stop before:
	import "github.com/threadcall/threadcall/recorder"
	recorder.Start()
	defer recorder.Stop()`, name)
}

// read yields the trace in a file.
func read(file, name string, failed error, yield func(*Trace, error) bool) (more bool) {
	f, err := os.Open(file)
	if err != nil {
		return yield(nil, err)
	}
	defer f.Close()
	return yield(&Trace{Reader: f, Name: name, Failed: failed}, nil)
}
