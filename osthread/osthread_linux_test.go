package osthread_test

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/osthread"
)

// The kernel reports success for what it cuts; the error says what the thread has.
func TestErrNotApplied_saysWhatTheThreadHas(t *testing.T) {
	onThread(func() {
		before, _ := osthread.Affinity()
		const absent = 1<<16 - 1 // unless Linux learns of more CPUs than it can have
		for has, err := range map[string]error{
			`"sixteen bytes !"`:     osthread.SetName("sixteen bytes !!"),
			strconv.Itoa(before[0]): osthread.SetAffinity(before[0], absent),
			"19":                    osthread.SetNice(30),
			"":                      osthread.SetBlockedSignals(syscall.SIGKILL),
		} {
			if !errors.Is(err, osthread.ErrNotApplied) ||
				!strings.Contains(err.Error(), "; the thread has "+has) {
				t.Errorf("want an error with what the thread has, %s: %v", has, err)
			}
		}
		is(t, "affinity", osthread.Affinity, before[:1])
	})
}

// A signal for a thread that blocks it waits until that unblocks it.
func TestSetBlockedSignals_letsASignalWait(t *testing.T) {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGUSR2)
	defer signal.Stop(arrived)
	onThread(func() {
		before, err := osthread.BlockedSignals()
		if err != nil {
			t.Error(err)
			return
		}
		more := append(slices.Clone(before), syscall.SIGUSR2, syscall.SIGTERM, syscall.SIGUSR2)
		if err := osthread.SetBlockedSignals(more...); err != nil {
			t.Error(err)
		}
		onThread(func() { is(t, "mask of another thread", osthread.BlockedSignals, nil) })
		is(t, "mask", osthread.BlockedSignals, slices.Sorted(slices.Values(more[:len(more)-1])))
		if err := syscall.Tgkill(os.Getpid(), syscall.Gettid(), syscall.SIGUSR2); err != nil {
			t.Error(err)
		}
		select {
		case <-arrived:
			t.Error("a signal that is blocked arrives")
		case <-time.After(20 * time.Millisecond):
		}
		if err := osthread.SetBlockedSignals(before...); err != nil {
			t.Error(err)
		}
		<-arrived
		is(t, "mask", osthread.BlockedSignals, before)
		for _, wrong := range []syscall.Signal{0, -1, 200, syscall.SIGSEGV, 33} {
			if err := osthread.SetBlockedSignals(syscall.SIGHUP, wrong); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("blocking %d: %v", wrong, err)
			}
		}
		is(t, "mask", osthread.BlockedSignals, before)
	})
}
