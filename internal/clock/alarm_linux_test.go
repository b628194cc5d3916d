package clock

import (
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/rig/testutil"
)

func (t *timerfd) number() uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return 0
	}
	return t.fd
}

// An Alarm that is precise has a timerfd until it is stopped, and does without one that fails.
func TestAlarm_timerfd(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector closes files, too
	before := timerfds()
	for _, fails := range []bool{false, true} {
		var fired atomic.Int32
		var a Alarm
		again := make(chan bool, 1)
		a.Init(func() {
			fired.Add(1)
			select {
			case again <- true:
			default:
			}
		}, true)
		fires := func(n int32) {
			t.Helper()
			for n += fired.Load(); fired.Load() < n; {
				a.Set(time.Millisecond)
				testutil.Arrives(t, again)
			}
		}
		fires(3)
		if a.timerfd.number() == 0 {
			t.Skip("the system refuses a timerfd")
		}
		if fails {
			a.timerfd.mu.Lock()
			file := a.timerfd.file
			a.timerfd.mu.Unlock()
			file.Close()
			testutil.Eventually(t, func() bool { return a.timerfd.number() == 0 }, "the timerfd is given up")
			fires(3)
		}
		a.Stop()
		testutil.Eventually(t, func() bool { return a.timerfd.number() == 0 }, "it is given back")
	}
	testutil.Eventually(t, func() bool { return timerfds() <= before }, "they are closed")
}

// timerfds returns how many timerfds the process has open.
func timerfds() (n int) {
	files, _ := os.ReadDir("/proc/self/fd")
	for _, f := range files {
		if name, _ := os.Readlink("/proc/self/fd/" + f.Name()); strings.Contains(name, "timerfd") {
			n++
		}
	}
	return n
}
