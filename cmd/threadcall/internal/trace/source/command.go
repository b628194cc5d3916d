package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Variable is what package recorder looks for in the environment.
const Variable = "THREADCALL_TRACE"

func (r Request) runCommand(ctx context.Context, yield func(*Trace, error) bool) {
	err := inTemp(func(dir string) error {
		trace, err := r.place(dir)
		if err != nil {
			return err
		}
		name := strings.Join(r.Command, " ")
		r.doing("running %s", name)
		cmd := exec.Command(r.Command[0], r.Command[1:]...)
		cmd.Stdin = os.Stdin
		cmd.Env = append(os.Environ(), Variable+"="+trace)
		failed := r.run(ctx, cmd)
		if cmd.Process == nil {
			return failed
		}
		if failed != nil {
			failed = fmt.Errorf("%s: %w", name, failed)
		}
		if !recorded(trace) {
			return errors.Join(failed, noTrace(name, trace))
		}
		read(trace, name, dir, failed, yield)
		return nil
	})
	if err != nil {
		yield(nil, err)
	}
}

func noTrace(name, trace string) error {
	if _, err := os.Stat(trace); err == nil {
		return fmt.Errorf(`%s ended before a part of its trace was whole.
A program that ends by os.Exit or log.Fatal must call recorder.Stop before`, name)
	}
	return fmt.Errorf(`%s recorded no trace. Its main function must begin with the second of these lines:
	import "github.com/threadcall/threadcall/recorder"
	defer recorder.Start()()`, name)
}

// place returns where a trace is to be recorded, which is nowhere yet.
func (r Request) place(dir string) (trace string, err error) {
	if r.Keep == "" {
		return filepath.Join(dir, "trace"), nil
	}
	if at, err := os.Stat(r.Keep); err == nil && !at.Mode().IsRegular() { // a device, which must not be removed
		return "", fmt.Errorf("the trace cannot be kept: %s is no regular file", r.Keep)
	}
	f, err := os.Create(r.Keep) // to know before anything has run
	if err != nil {
		return "", fmt.Errorf("the trace cannot be kept: %w", err)
	}
	f.Close()
	if trace, err = filepath.EvalSymlinks(r.Keep); err != nil {
		return "", fmt.Errorf("the trace cannot be kept: %w", err)
	}
	os.Remove(trace)
	return filepath.Abs(trace) // what runs may run elsewhere
}

// recorded tells whether a file has more than the header of a trace.
func recorded(trace string) bool {
	at, err := os.Stat(trace)
	return err == nil && at.Size() > headerSize
}

const headerSize = 16

func inTemp(do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "threadcall-trace-")
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil { // what runs may run elsewhere
		return err
	}
	defer os.RemoveAll(dir)
	return do(dir)
}
