//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func startTest(t *testing.T) (*thread.Thread, *tracee) {
	t.Helper()
	tracer := thread.New(thread.WithName("tracer"))
	t.Cleanup(tracer.Close)
	tracee, err := start(child(), bindTo(tracer))
	if err != nil {
		t.Skip("NOT TESTED: processes cannot be traced here: ", err)
	}
	t.Cleanup(tracee.kill)
	return tracer, tracee
}

// The child runs a loop, so a thousand steps come to the same few instructions again and again, each as often as the others.
func TestStepsRunOneInstructionEach(t *testing.T) {
	_, tracee := startTest(t)
	times := map[uint64]int{}
	for range 1000 {
		if err := tracee.step(); err != nil {
			t.Fatal(err)
		}
		times[tracee.regs.PC()]++
	}
	instructions := 0
	for _, n := range times {
		if n > 100 {
			instructions++
		}
	}
	if instructions < 2 || instructions > 9 {
		t.Errorf("times that each instruction ran: %v, want a loop", times)
	}
}

func TestAnyGoroutineSteps(t *testing.T) {
	_, tracee := startTest(t)
	for range 100 {
		err := make(chan error)
		go func() { err <- tracee.step() }()
		if err := <-err; err != nil {
			t.Fatal(err)
		}
	}
}

// Its functions for the thread are called on the thread, and run in place.
func TestAStepInOneCall(t *testing.T) {
	tracer, tracee := startTest(t)
	before := tracee.regs.PC()
	if err := thread.Eval(tracer, tracee.step); err != nil || tracee.regs.PC() == before {
		t.Errorf("step: %v, from %#x to %#x", err, before, tracee.regs.PC())
	}
}

func TestOtherThreadsMayNotStep(t *testing.T) {
	_, tracee := startTest(t)
	other := thread.New()
	defer other.Close()
	if err := thread.Eval(other, func() error { return syscall.PtraceSingleStep(tracee.process.Pid) }); err != syscall.ESRCH {
		t.Errorf("PTRACE_SINGLESTEP on another thread: %v, want %v", err, syscall.ESRCH)
	}
}

func TestTheChildAndTheThreadEndWithClose(t *testing.T) {
	tracer, tracee := startTest(t)
	id := thread.Eval(tracer, syscall.Gettid)
	tracer.Close()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(tracee.process.Pid, &status, 0, nil); err != nil || status.Signal() != syscall.SIGKILL {
		t.Errorf("the child ended with %#x, %v; want %v", status, err, syscall.SIGKILL)
	}
	if err := tracee.step(); err == nil {
		t.Error("a child that has ended makes a step")
	}
	for range 500 {
		if _, err := os.Stat(fmt.Sprint("/proc/self/task/", id)); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the thread is still there")
}
