//go:build linux && (amd64 || arm64)

// A tracer that runs a process one instruction at a time, from the thread that Linux takes its
// commands from.
//
//	go -C examples run ./ptrace
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os/exec"

	"github.com/threadcall/threadcall/thread"
)

func main() {
	if err := run(); err != nil {
		log.Fatal("ptrace: ", err)
	}
}

func run() error {
	tracer := thread.New(thread.WithName("tracer"))
	defer tracer.Close()
	t, err := start(exec.Command("true"), bindTo(tracer))
	if err != nil {
		return err
	}
	defer t.kill()
	const steps = 1000
	places := map[uint64]bool{}
	for range steps {
		// one call: the two in it run in place
		if err := thread.Eval(tracer, t.step); err != nil {
			return err
		}
		places[t.regs.PC()] = true
	}
	if len(places) < 10 {
		return errors.New("the program counter does not move")
	}
	fmt.Printf("ptrace: %d calls, 0 of them wrong\n", steps)
	return nil
}

// bindTo returns functions that run theirs on t. After the end of t they return an error.
func bindTo(t *thread.Thread) bind {
	return func(f func() error) func() error {
		return func() error {
			err, ended := thread.EvalContext(context.Background(), t, f)
			return cmp.Or(ended, err)
		}
	}
}
