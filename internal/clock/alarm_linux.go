package clock

import (
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// When all Ps are idle, the Go scheduler waits for the next timer in epoll_wait, which counts
// milliseconds: timers come up to a millisecond late. A timerfd in the same epoll set comes within
// the hundredth of that. But while Ps are busy the scheduler polls epoll every 10 ms, and looks for
// timers each time that a goroutine blocks. So a precise Alarm has both, and the first to fire
// counts. Without the timerfd ticks are late by 0.7 and not 0.15 ms in the median.

// A timerfd belongs to an Alarm. A goroutine waits for it until the Alarm is stopped.
type timerfd struct {
	mu      sync.Mutex
	file    *os.File // nil if there is none
	fd      uintptr
	over    bool // Stop has been called
	refused bool // the Go runtime cannot wait for it
}

// set has the timerfd call fire as well as the timer.
//
//threadcall:noalloc
func (t *timerfd) set(d time.Duration, fire func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil || t.open(fire) {
		t.expireIn(d)
	}
}

// open makes the timerfd. It is false if there is none, as without descriptors: the next call tries
// again.
func (t *timerfd) open(fire func()) bool {
	const monotonic = 1
	if t.refused {
		return false
	}
	fd, _, err := syscall.RawSyscall(
		syscall.SYS_TIMERFD_CREATE, monotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != 0 {
		return false
	}
	t.fd, t.file = fd, os.NewFile(fd, "timerfd") //threadcall:alloc once
	go t.wait(t.file, fire)                      //threadcall:alloc once
	return true
}

//threadcall:noalloc
func (t *timerfd) expireIn(d time.Duration) {
	var s struct{ interval, value syscall.Timespec }
	s.value = syscall.NsecToTimespec(int64(min(max(d, 1), maxWait)))
	// the timer is left
	_, _, _ = syscall.RawSyscall6(
		syscall.SYS_TIMERFD_SETTIME, t.fd, 0, uintptr(unsafe.Pointer(&s)), 0, 0, 0)
}

const maxWait = time.Hour // far below what 32 bits of seconds hold

func (t *timerfd) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over = true; t.file != nil {
		t.expireIn(0)
	}
}

// wait calls fire until the Alarm is stopped. It does not read from the timerfd: each time that it
// expires is an event of its own, and setting it forgets that it has expired.
func (t *timerfd) wait(file *os.File, fire func()) {
	defer func() { // if fire calls Goexit, too
		t.mu.Lock()
		t.file, t.refused = nil, true
		t.mu.Unlock()
		file.Close()
	}()
	conn, err := file.SyscallConn()
	if err != nil {
		return
	}
	// called at once, because events before that are lost, and after each event; an error leaves the
	// Alarm to its timer
	_ = conn.Read(func(uintptr) bool {
		fire()
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.over
	})
}
