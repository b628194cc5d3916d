package engine

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/threadcall/threadcall/internal/clock"
)

// When all Ps are idle, the Go scheduler waits for the next timer in epoll_wait, which counts
// milliseconds: timers come up to a millisecond late. A timerfd in the same epoll set comes within
// the hundredth of that. But while Ps are busy the scheduler asks epoll every 10 ms, and looks for
// timers each time that a goroutine blocks. So a clock that ticks has both, and takes what comes
// first.

// A deadline is the timerfd of a clock, with a goroutine that waits for it until the clock is over.
// It is guarded by Clock.mu.
type deadline struct {
	file    *os.File // nil if there is none
	fd      uintptr
	refused bool // the Go runtime cannot wait for it
}

// set has c fire at the time due as well as by its timer.
//
//threadcall:noalloc
func (d *deadline) set(c *Clock, due time.Duration) {
	if d.file == nil && !d.open(c) {
		return
	}
	d.expireIn(due - clock.Now())
}

// open makes the timerfd. It is false if that cannot be, as without descriptors: the next call
// tries again.
func (d *deadline) open(c *Clock) bool {
	const monotonic = 1
	if d.refused {
		return false
	}
	fd, _, err := syscall.RawSyscall(
		syscall.SYS_TIMERFD_CREATE, monotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != 0 {
		return false
	}
	d.fd, d.file = fd, os.NewFile(fd, "timerfd") //threadcall:alloc once
	go c.readDeadline(d.file)                    //threadcall:alloc once
	return true
}

//threadcall:noalloc
func (d *deadline) expireIn(t time.Duration) {
	var s struct{ interval, value syscall.Timespec }
	s.value = syscall.NsecToTimespec(int64(min(max(t, 1), maxDeadline)))
	// the timer is left
	_, _, _ = syscall.RawSyscall6(
		syscall.SYS_TIMERFD_SETTIME, d.fd, 0, uintptr(unsafe.Pointer(&s)), 0, 0, 0)
}

const maxDeadline = time.Hour // far below what 32 bits of seconds hold

// end is called when the clock is over.
func (d *deadline) end() {
	if d.file != nil {
		d.expireIn(0)
	}
}

// readDeadline fires the clock until it is over. It does not read from the timerfd: each time that
// it expires is an event of its own, and setting it forgets that it has expired.
func (c *Clock) readDeadline(file *os.File) {
	defer func() { // if a function of OnWake calls Goexit, too
		c.mu.Lock()
		c.precise = deadline{refused: true}
		c.mu.Unlock()
		file.Close()
	}()
	conn, err := file.SyscallConn()
	if err != nil {
		return
	}
	// called at once, because events before that are lost, and after each event; an error leaves the
	// clock to its timer
	_ = conn.Read(func(uintptr) bool {
		c.fire(false)
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.over
	})
}
