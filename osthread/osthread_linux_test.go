package osthread_test

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/osthread"
)

// The kernel reports success for what it cuts; the error says what the thread has.
func TestErrNotApplied(t *testing.T) {
	onThread(func() {
		err := osthread.SetName("sixteen bytes !!")
		if !errors.Is(err, osthread.ErrNotApplied) || !strings.Contains(err.Error(),
			`"sixteen bytes !!"`) ||
			!strings.HasSuffix(err.Error(), `; the thread has "sixteen bytes !"`) {
			t.Errorf("a long name: %v", err)
		}
		before, _ := osthread.Affinity()
		const absent = 1<<16 - 1 // unless Linux learns of more CPUs than it can have
		if err := osthread.SetAffinity(before[0], absent); !errors.Is(err, osthread.ErrNotApplied) {
			t.Errorf("a CPU that is not there: %v", err)
		}
		is(t, "affinity", osthread.Affinity, before[:1])
		if err := osthread.SetNice(30); !errors.Is(err, osthread.ErrNotApplied) ||
			!strings.HasSuffix(err.Error(), "has 19") {
			t.Errorf("a niceness of 30: %v", err)
		}
		if err := osthread.BlockSignals(syscall.SIGKILL); !errors.Is(err, osthread.ErrNotApplied) {
			t.Errorf("blocking SIGKILL: %v", err)
		}
	})
}

// A signal for a thread that blocks it waits until that unblocks it.
func TestBlockSignals(t *testing.T) {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGUSR2)
	defer signal.Stop(arrived)
	onThread(func() {
		before, err := osthread.BlockedSignals()
		if err != nil {
			t.Error(err)
			return
		}
		if err := osthread.BlockSignals(syscall.SIGUSR2, syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		is(t, "mask", osthread.BlockedSignals, slices.Sorted(slices.Values(append(slices.Clone(before),
			syscall.SIGUSR2, syscall.SIGTERM))))
		if err := syscall.Tgkill(os.Getpid(), syscall.Gettid(), syscall.SIGUSR2); err != nil {
			t.Error(err)
		}
		select {
		case <-arrived:
			t.Error("a signal that is blocked arrives")
		case <-time.After(20 * time.Millisecond):
		}
		if err := osthread.UnblockSignals(syscall.SIGUSR2, syscall.SIGTERM, syscall.SIGHUP); err != nil {
			t.Error(err)
		}
		<-arrived
		is(t, "mask", osthread.BlockedSignals, before)
		for _, wrong := range []syscall.Signal{0, -1, 200, syscall.SIGSEGV, 33} {
			if err := osthread.BlockSignals(syscall.SIGHUP, wrong); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("blocking %d: %v", wrong, err)
			}
		}
		is(t, "mask", osthread.BlockedSignals, before)
	})
}

// A property does not spread to threads that the runtime starts.
func TestProperties_doNotSpread(t *testing.T) {
	onThread(func() {
		if err := osthread.BlockSignals(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		for range 4 {
			onThread(func() { is(t, "mask of another thread", osthread.BlockedSignals, nil) })
		}
	})
}
