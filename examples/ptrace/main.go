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
	"os"
	"os/exec"
	"syscall"

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
	t, err := start(tracer, exec.Command("true"))
	if err != nil {
		return err
	}
	defer t.kill()
	const steps = 1000
	places := map[uint64]bool{}
	for range steps {
		// one call: the two in it run in place
		if err := thread.MustEval(tracer, t.step); err != nil {
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

// A tracee is a process that runs one instruction at a time. Linux takes commands to it from the
// thread that started it only. One goroutine at a time may use a tracee.
type tracee struct {
	tracer  *thread.Thread
	process *os.Process
	regs    syscall.PtraceRegs
}

// start starts cmd, which stops before its first instruction. The process is killed when the thread
// ends.
func start(tracer *thread.Thread, cmd *exec.Cmd) (*tracee, error) {
	t := &tracee{tracer: tracer}
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}
	if err := t.onThread(cmd.Start); err != nil {
		return nil, err
	}
	t.process = cmd.Process
	if err := t.stopped(); err != nil {
		t.kill()
		return nil, err
	}
	return t, nil
}

// onThread runs f on the thread. After the end of that it returns an error.
func (t *tracee) onThread(f func() error) error {
	err, ended := thread.EvalContext(context.Background(), t.tracer, f)
	return cmp.Or(ended, err)
}

// step runs one instruction. As in a debugger, that is two functions on the thread, and a wait that
// any thread can do.
func (t *tracee) step() error {
	pid := t.process.Pid
	if err := t.onThread(func() error { return syscall.PtraceSingleStep(pid) }); err != nil {
		return fmt.Errorf("PTRACE_SINGLESTEP: %w", err)
	}
	if err := t.stopped(); err != nil {
		return err
	}
	if err := t.onThread(func() error { return syscall.PtraceGetRegs(pid, &t.regs) }); err != nil {
		return fmt.Errorf("PTRACE_GETREGS: %w", err)
	}
	return nil
}

// stopped waits until t has been stopped as a tracer stops it.
func (t *tracee) stopped() error {
	var status syscall.WaitStatus
	_, err := syscall.Wait4(t.process.Pid, &status, 0, nil)
	for err == syscall.EINTR {
		_, err = syscall.Wait4(t.process.Pid, &status, 0, nil)
	}
	if err != nil {
		return fmt.Errorf("wait4: %w", err)
	}
	if status.StopSignal() != syscall.SIGTRAP {
		return fmt.Errorf("the process has ended, or a signal has stopped it: status %#x", status)
	}
	return nil
}

func (t *tracee) kill() {
	t.process.Kill()
	t.process.Wait()
}
