package clock

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
)

func (s *alarms) opened() *os.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file
}

// afterASecond lets a second pass after which the timerfd is opened again.
func afterASecond() { retryAt(0) }

// retryAt sets the time after which the timerfd is opened again, and returns what was set.
func retryAt(at time.Duration) (was time.Duration) {
	precise.mu.Lock()
	defer precise.mu.Unlock()
	was, precise.retry = precise.retry, at
	return was
}

// A rung Alarm counts how often it has fired.
type rung struct {
	Alarm
	fired atomic.Int32
	again chan bool
}

func ring() *rung {
	a := &rung{again: make(chan bool, 1)}
	a.Init(func() {
		a.fired.Add(1)
		select {
		case a.again <- true:
		default:
		}
	}, true)
	return a
}

func (a *rung) fires(t *testing.T, n int32) {
	t.Helper()
	for n += a.fired.Load(); a.fired.Load() < n; {
		a.Set(time.Millisecond)
		testutil.Arrives(t, a.again)
	}
}

// Alarms that are precise share a timerfd until the last is stopped, and do without one that fails,
// for a second.
func TestAlarm_timerfd(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector closes files, too
	afterASecond()
	a := ring()
	a.fires(t, 1) // the runtime opens its own
	a.Stop()
	open := precise.opened
	testutil.Eventually(t, func() bool { return open() == nil }, "it is closed")
	before := descriptors()
	for _, fails := range []bool{false, true} {
		a, other := ring(), ring()
		a.fires(t, 3)
		other.fires(t, 3)
		if open() == nil {
			t.Skip("the system refuses a timerfd")
		}
		if n := descriptors(); n > before+1 {
			t.Errorf("%d descriptors for two alarms", n-before)
		}
		if fails {
			open().Close()
			testutil.Eventually(t, func() bool { return open() == nil }, "the timerfd is given up")
			// or the second would pass on a busy machine
			later := retryAt(math.MaxInt64) > 0
			a.fires(t, 3)
			if !later || open() != nil {
				t.Error("it is tried again at once")
			}
			afterASecond()
			a.fires(t, 1)
			if open() == nil {
				t.Error("there is no other after a second")
			}
		}
		a.Stop()
		a.Stop()
		other.fires(t, 3)
		if open() == nil {
			t.Error("one alarm of two was stopped, and there is no timerfd")
		}
		other.Stop()
		testutil.Eventually(t, func() bool { return open() == nil }, "it is given back")
	}
	testutil.Eventually(t, func() bool { return descriptors() <= before }, "they are closed")
}

// Each of many Alarms fires, in any order of their times, of changes and of stops.
func TestAlarm_timerfdFiresEach(t *testing.T) {
	r := testutil.Seeded(t)
	afterASecond()
	defer func() { // a stopped alarm is not in the heap
		precise.mu.Lock()
		defer precise.mu.Unlock()
		if len(precise.due) != 0 || precise.users != 0 {
			t.Errorf("%d alarms of %d users are left", len(precise.due), precise.users)
		}
	}()
	var all []*rung
	for range 200 {
		a := ring()
		a.share(time.Hour)
		all = append(all, a)
	}
	if precise.opened() == nil {
		t.Skip("the system refuses a timerfd")
	}
	start := Now()
	for range 3 {
		for _, i := range r.Perm(len(all)) {
			switch a := all[i]; {
			case i%5 == 0:
				a.unshare()
			case i%5 == 1:
				a.share(time.Hour)
			default:
				a.share(time.Duration(r.IntN(5_000_000)))
			}
		}
	}
	for i, a := range all {
		if i%5 > 1 {
			testutil.Arrives(t, a.again)
		} else if a.fired.Load() != 0 {
			t.Errorf("alarm %d fired after %v, and is stopped or due in an hour", i, Now()-start)
		}
	}
	for _, a := range all {
		a.unshare()
	}
}

// A function that calls Goexit costs no Alarm its time, and at most the timerfd for a second.
func TestAlarm_goexit(t *testing.T) {
	all := make([]*rung, 50)
	for i := range all {
		a := ring()
		defer a.Stop()
		all[i] = a
		var ends Alarm
		defer ends.Stop()
		ends.Init(runtime.Goexit, true)
		ends.Set(time.Millisecond)
		a.Set(time.Millisecond)
	}
	for _, a := range all {
		testutil.Arrives(t, a.again)
	}
}

// descriptors returns how many descriptors the process has open.
func descriptors() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}
