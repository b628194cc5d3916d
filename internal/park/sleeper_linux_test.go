package park

import (
	"testing"
	"time"
)

func TestASleepThatTheKernelRefusesIsGivenUp(t *testing.T) {
	if !CanSleep() {
		t.Skip("asynchronous preemption is off")
	}
	defer noFutex.Store(false)
	var s Sleeper
	s.Arm()
	s.Sleep(-time.Second) // no time at all: the kernel answers EINVAL
	if CanSleep() {
		t.Error("a system call that fails is still relied upon")
	}
}
