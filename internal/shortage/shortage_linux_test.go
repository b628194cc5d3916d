package shortage_test

import (
	"syscall"
	"testing"

	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/sched"
	"github.com/threadcall/threadcall/internal/testutil"
)

var passed bool // the process has had a pipe and a quota

// Without descriptors there is no pipe and no quota; with them there is.
func TestShortage_passes(t *testing.T) {
	if passed {
		t.Skip("the process has both")
	}
	passed = true
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	limit := func(n uint64) {
		l := syscall.Rlimit{Cur: min(n, before.Max), Max: before.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
			t.Fatal(err)
		}
	}
	defer limit(before.Cur)
	limit(0)
	for range 3 {
		if cores.Usable() != 0 || sched.Reschedule(false) {
			t.Fatal("there are descriptors")
		}
	}
	limit(before.Cur)
	testutil.Eventually(t, func() bool { return cores.Usable() != 0 && sched.Reschedule(false) },
		"there are cores and a pipe")
}
