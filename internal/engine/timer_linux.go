package engine

import (
	"container/heap"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/shortage"
)

// When all Ps are idle, the Go scheduler waits for the next timer in epoll_wait, which counts
// milliseconds: timers come up to a millisecond late. A timerfd in the same epoll set comes within
// the hundredth of that. But while Ps are busy the scheduler asks epoll every 10 ms, and looks for
// timers each time that a goroutine blocks. So a clock on Linux has both, and takes what comes
// first.
//
// One timerfd serves all clocks of the process. It is there, with a goroutine that reads it, from
// when the first clock is armed until none has been for a while, so that neither is left behind for
// tests that look for leaks.

// A deadline is the place of a clock among those of the process.
type deadline struct {
	due  time.Duration // guarded by deadlines.mu, as all here
	slot int           // in deadlines.armed plus one
}

// deadlines are those of the process.
var deadlines struct {
	mu      sync.Mutex
	armed   byDue
	file    *os.File // the timerfd, nil if there is none
	fd      uintptr
	next    time.Duration // when it fires, if there is one
	unused  bool          // it has been set to when it is to be closed
	refused bool          // the system has no timerfd, or a filter refuses it
}

const (
	deadlinesStay = 100 * time.Millisecond // without a clock
	// for which the timerfd is set; far below what 32 bits of seconds hold
	maxDeadline = time.Hour
)

//threadcall:noalloc
func (d *deadline) set(c *Clock, due time.Duration) {
	l := &deadlines
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil && !openDeadlines() {
		return
	}
	d.due = due
	if d.slot == 0 {
		heap.Push(&l.armed, c) //threadcall:alloc when more clocks are armed than ever
	} else {
		heap.Fix(&l.armed, d.slot-1)
	}
	setDeadlines()
}

// cancel takes the clock away. If others are left, the timerfd may fire once in vain.
func (d *deadline) cancel(*Clock) {
	l := &deadlines
	l.mu.Lock()
	if d.slot != 0 {
		heap.Remove(&l.armed, d.slot-1)
	}
	if len(l.armed) == 0 && l.file != nil {
		setDeadlines()
	}
	l.mu.Unlock()
}

// openDeadlines makes the timerfd, and is false if that cannot be.
func openDeadlines() bool {
	l := &deadlines
	if l.refused {
		return false
	}
	const monotonic = 1
	fd, _, err := syscall.RawSyscall(
		syscall.SYS_TIMERFD_CREATE, monotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != 0 {
		l.refused = !shortage.Passes(err) //threadcall:alloc when there are no descriptors
		return false
	}
	l.fd, l.file, l.next = fd, os.NewFile(fd, "timerfd"), 0 //threadcall:alloc for the first clock
	go readDeadlines(l.file)                                //threadcall:alloc for the first clock
	return true
}

// setDeadlines sets the timerfd to the first deadline, or to when it is to be closed. A caller in a
// bubble, which does not know the time, has readDeadlines do it.
//
//threadcall:noalloc
func setDeadlines() {
	l := &deadlines
	now, ok := clock.Outside()
	next := now + deadlinesStay
	if l.unused = len(l.armed) == 0 && ok; !ok {
		now, next = 0, -1 // it fires at once
	} else if !l.unused {
		next = min(l.armed[0].precise.due, now+maxDeadline)
	}
	if next == l.next {
		return
	}
	l.next = next
	var s struct{ interval, value syscall.Timespec }
	s.value = syscall.NsecToTimespec(int64(max(next-now, 1)))
	// the timers are left
	_, _, _ = syscall.RawSyscall6(
		syscall.SYS_TIMERFD_SETTIME, l.fd, 0, uintptr(unsafe.Pointer(&s)), 0, 0, 0)
}

// readDeadlines fires clocks until there have been none for a while. It does not read from the
// timerfd: each time that it expires is an event of its own, and setting it forgets that it has
// expired.
func readDeadlines(file *os.File) {
	var err error
	defer func() { closeDeadlines(file, err) }() // if a function of OnWake calls Goexit, too
	conn, err := file.SyscallConn()
	if err != nil {
		return
	}
	var due []*Clock
	// called at once, because events before that are lost, and after each event
	err = conn.Read(func(uintptr) (ended bool) {
		if due, ended = takeDeadlines(due); ended {
			return true
		}
		for i, c := range due {
			c.fire(false)
			due[i] = nil
		}
		due = due[:0]
		return false
	})
}

// takeDeadlines appends the clocks that are due to list. If there have been none for a while it
// gives up the timerfd and reports that.
func takeDeadlines(list []*Clock) (due []*Clock, ended bool) {
	l := &deadlines
	l.mu.Lock()
	defer l.mu.Unlock()
	now := clock.Now()
	if len(l.armed) == 0 {
		// else it is an old event, and a clock is about to be armed
		if ended = l.unused && now >= l.next; ended {
			l.file = nil
		} else if !l.unused {
			setDeadlines()
		}
		return list, ended
	}
	for len(l.armed) > 0 && l.armed[0].precise.due <= now {
		list = append(list, heap.Pop(&l.armed).(*Clock))
	}
	l.next = 0            // it has fired
	if len(l.armed) > 0 { // else a clock in list is about to be armed, or to end
		setDeadlines()
	}
	return list, false
}

// closeDeadlines closes the timerfd. Clocks that are armed are left to their timers.
func closeDeadlines(file *os.File, err error) {
	l := &deadlines
	l.mu.Lock()
	if l.file == file {
		for len(l.armed) > 0 {
			heap.Pop(&l.armed)
		}
		l.file = nil
	}
	l.refused = l.refused || err != nil
	l.mu.Unlock()
	file.Close()
}

// byDue is a heap of clocks.
type byDue []*Clock

func (h byDue) Len() int           { return len(h) }
func (h byDue) Less(i, j int) bool { return h[i].precise.due < h[j].precise.due }

func (h byDue) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].precise.slot, h[j].precise.slot = i+1, j+1
}

func (h *byDue) Push(x any) {
	c := x.(*Clock)
	*h = append(*h, c)
	c.precise.slot = len(*h)
}

func (h *byDue) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	c.precise.slot = 0
	return c
}
