//go:build linux && (amd64 || arm64)

// A tracer that runs a process one instruction at a time, from the thread that Linux takes its commands from.
//
//	go -C examples run ./ptrace
package main

import (
	"errors"
	"flag"
	"log"

	"github.com/threadcall/threadcall/examples/internal/meter"
	"github.com/threadcall/threadcall/thread"
)

func main() {
	flag.Parse()
	if err := compare(); err != nil {
		log.Fatal("ptrace: ", err)
	}
}

func compare() error {
	tracer := thread.New(thread.WithName("tracer"))
	defer tracer.Close()
	here, err := start(child(), bindTo(tracer))
	if err != nil {
		return err
	}
	defer here.kill()

	channel := newChannel()
	defer channel.close()
	there, err := start(child(), channel.bind)
	if err != nil {
		return err
	}
	defer there.kill()

	if !meter.Compare("ptrace, an instruction", loads,
		meter.Way{Name: "channel, as in Delve", Call: there.steps(there.step)},
		meter.Way{Name: "threadcall", Call: here.steps(here.step)},
		meter.Way{Name: "threadcall, a step in one call", Call: here.steps(thread.Bind0V(tracer, here.step))}, // its two calls run in place
	) {
		return errors.New("a step did not change the program counter")
	}
	return nil
}

// bindTo returns functions that run theirs on t. After the end of t they return an error.
func bindTo(t *thread.Thread) bind {
	return func(f func() error) func() error { return thread.Bind0V(t, f) }
}

// steps returns a function that steps and reports whether that has changed the program counter.
func (t *tracee) steps(step func() error) func() bool {
	return func() bool {
		before := t.regs.PC()
		if err := step(); err != nil {
			log.Print("ptrace: ", err)
			return false
		}
		return t.regs.PC() != before
	}
}

// One debugger traces a process, so one goroutine calls.
var loads = []meter.Load{meter.Loads[0], meter.Loads[1], meter.Loads[3]}
