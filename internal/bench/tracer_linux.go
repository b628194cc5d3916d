package bench

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/threadcall/threadcall/internal/testutil"
)

// Tracer is a debugger: an operation is a step of a process by ptrace, which only one thread may
// trace, and two reads of its registers, each in a call. Time is the median.
func Tracer(s Subject, n int) (r Result, err error) {
	var c *exec.Cmd
	var regs syscall.PtraceRegs
	start := func() {
		if c, err = testutil.Command(); err == nil {
			// or it would run all that this program does
			c.Env = append(os.Environ(), background+"=0s")
			c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
			err = c.Start()
		}
		var status syscall.WaitStatus
		if err == nil {
			_, err = syscall.Wait4(c.Process.Pid, &status, 0, nil)
		}
		if err == nil && !status.Stopped() {
			err = errors.New("the process that is to be traced does not stop")
		}
	}
	look := func() { err = errors.Join(err, syscall.PtraceGetRegs(c.Process.Pid, &regs)) }
	step := func() {
		var status syscall.WaitStatus
		if err == nil {
			err = syscall.PtraceSingleStep(c.Process.Pid)
		}
		if err == nil {
			_, err = syscall.Wait4(c.Process.Pid, &status, 0, nil)
		}
	}
	if s.Call(start); err != nil {
		return r, err
	}
	defer func() {
		c.Process.Kill()
		c.Wait()
	}()
	return single(n, func(int) {}, func() {
		s.Call(look)
		s.Call(step)
		s.Call(look)
	}), err
}
