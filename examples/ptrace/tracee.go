//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// A tracee is a process that runs one instruction at a time. Linux takes commands to it from the
// thread that started it only. One goroutine at a time may use a tracee.
type tracee struct {
	process *os.Process
	regs    syscall.PtraceRegs

	// On the thread.
	singleStep, getRegs func() error
}

// A bind returns a function that runs f on the thread, and may be called from any goroutine.
type bind func(f func() error) func() error

// start starts cmd, which stops before its first instruction. The process is killed when the thread
// ends.
func start(cmd *exec.Cmd, onThread bind) (*tracee, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}
	if err := onThread(cmd.Start)(); err != nil {
		return nil, err
	}
	t := &tracee{process: cmd.Process}
	t.singleStep = onThread(func() error { return syscall.PtraceSingleStep(t.process.Pid) })
	t.getRegs = onThread(func() error { return syscall.PtraceGetRegs(t.process.Pid, &t.regs) })
	if err := t.stopped(); err != nil {
		t.kill()
		return nil, err
	}
	return t, nil
}

// step runs one instruction. As in a debugger, that is two functions on the thread, and a wait that
// any thread can do.
func (t *tracee) step() error {
	if err := t.singleStep(); err != nil {
		return fmt.Errorf("PTRACE_SINGLESTEP: %w", err)
	}
	if err := t.stopped(); err != nil {
		return err
	}
	if err := t.getRegs(); err != nil {
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
