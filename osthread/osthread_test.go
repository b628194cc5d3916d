package osthread_test

import (
	"errors"
	"io/fs"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/threadcall/threadcall/osthread"
	"github.com/threadcall/threadcall/thread"
)

// onThread runs f on a thread that ends with it.
func onThread(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread() // and not unlocked
		f()
	}()
	<-done
}

// accepts reports whether err is nil, and fails the test unless the system does not have the
// property or does not permit the change.
func accepts(t *testing.T, err error) bool {
	t.Helper()
	switch {
	case err == nil:
		return true
	case errors.Is(err, errors.ErrUnsupported) && runtime.GOOS != "linux", errors.Is(err,
		fs.ErrPermission):
		t.Log(err)
	default:
		t.Error(err)
	}
	return false
}

func is[T any](t *testing.T, what string, get func() (T, error), want T) {
	t.Helper()
	if got, err := get(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the %s is %v, %v, want %v", what, got, err, want)
	}
}

// sets fails the test unless set gives the thread a value, or the system does not.
func sets[T any](t *testing.T, what string, set error, get func() (T, error), want T) {
	t.Helper()
	if accepts(t, set) {
		is(t, what, get, want)
	}
}

// refused fails the test unless err is that of a wrong value.
func refused(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, syscall.EINVAL) && runtime.GOOS == "linux" || err == nil {
		t.Errorf("a wrong value: %v", err)
	}
}

func TestSetName_namesTheThread(t *testing.T) {
	onThread(func() {
		for _, name := range []string{"gl", "fifteen bytes !", ""} {
			if accepts(t, osthread.SetName(name)) && runtime.GOOS != "freebsd" {
				is(t, "name", osthread.Name, name)
			}
		}
		refused(t, osthread.SetName("a\x00b"))
	})
}

func TestSetAffinity_restrictsTheThread(t *testing.T) {
	onThread(func() {
		before, err := osthread.Affinity()
		if !accepts(t, err) {
			return
		}
		last := before[len(before)-1]
		sets(t, "affinity", osthread.SetAffinity(last, last), osthread.Affinity, []int{last})
		sets(t, "affinity", osthread.SetAffinity(before...), osthread.Affinity, before)
		for _, wrong := range [][]int{{}, {-1}, {1 << 20}, {1<<16 - 1}} {
			refused(t, osthread.SetAffinity(wrong...))
		}
		is(t, "affinity", osthread.Affinity, before)
	})
}

func TestSetNice_setsTheNicenessOfTheThread(t *testing.T) {
	onThread(func() {
		if before, err := osthread.Nice(); accepts(t, err) {
			sets(t, "niceness", osthread.SetNice(19), osthread.Nice, 19)
			sets(t, "niceness", osthread.SetNice(before), osthread.Nice, before)
		}
	})
}

func TestSetRealtime_setsThePriorityOfTheThread(t *testing.T) {
	onThread(func() {
		if _, err := osthread.Realtime(); accepts(t, err) {
			sets(t, "priority", osthread.SetRealtime(99), osthread.Realtime, 99)
			sets(t, "priority", osthread.SetRealtime(0), osthread.Realtime, 0)
			refused(t, osthread.SetRealtime(-1))
			refused(t, osthread.SetRealtime(100))
		}
	})
}

// What sets a property is refused on a goroutine that may leave its thread.
func TestErrNotLocked_isReturnedOffALockedGoroutine(t *testing.T) {
	for name, err := range map[string]error{
		"SetName":           osthread.SetName("x"),
		"SetAffinity":       osthread.SetAffinity(0),
		"SetNice":           osthread.SetNice(0),
		"SetRealtime":       osthread.SetRealtime(0),
		"SetBlockedSignals": osthread.SetBlockedSignals(syscall.SIGTERM),
	} {
		if !errors.Is(err, osthread.ErrNotLocked) && !errors.Is(err, errors.ErrUnsupported) ||
			!strings.HasPrefix(err.Error(), "osthread: ") || !strings.Contains(err.Error(), ": "+name+"(") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Threads have numbers of their own, which do not change.
func TestID_isThatOfTheThread(t *testing.T) {
	ids := map[uint64]bool{}
	for range 3 {
		th := thread.New()
		defer th.Close()
		var id, again uint64
		th.Call(func() { id = osthread.ID() })
		th.Call(func() { again = osthread.ID() })
		if id != again || runtime.GOOS == "linux" && id == 0 {
			t.Errorf("the number is %d, then %d", id, again)
		}
		ids[id] = true
	}
	if !ids[0] && len(ids) != 3 {
		t.Errorf("three threads have the numbers %v", ids)
	}
}
