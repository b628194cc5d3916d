package sched

import (
	"os"
	"testing"
)

// Linux has the pipe of Reschedule; without it, the other tests are skipped.
func TestReschedule_onePipe(t *testing.T) {
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	if !Reschedule(false) {
		t.Fatal("it does nothing")
	}
	before := descriptors()
	for range 100 {
		if !Reschedule(false) {
			t.Fatal("it does nothing any more")
		}
	}
	if n := descriptors(); n > before {
		t.Errorf("after 100 calls there are %d descriptors, %d before", n, before)
	}
}

func TestReschedule_nothingWritten(t *testing.T) {
	if !Reschedule(false) {
		t.Fatal("it does nothing")
	}
	fd := pipe.fd
	if pipe.fd = -1; Reschedule(false) {
		t.Error("the pipe has nothing, and was waited for")
	}
	if pipe.fd = fd; !Reschedule(false) {
		t.Error("there is no pipe any more")
	}
}
