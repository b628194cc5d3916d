package clock

import (
	"container/heap"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// While all Ps are idle, the Go scheduler waits for the next timer in epoll_wait, which counts
// milliseconds; a timerfd in the same epoll set comes in time. While Ps are busy, the scheduler
// polls epoll every 10 ms, and looks for timers each time that a goroutine blocks. So precise
// Alarms have both, and the first to fire counts: ticks are late by 0.15 and not 0.7 ms in the
// median.

// alarms are the precise Alarms of the process. They share a timer and a timerfd, which fire when
// the earliest is due. A goroutine waits for the timerfd, which is open while an Alarm has been set
// and not stopped. Without it, an Alarm that is set opens it again after retryAfter.
type alarms struct {
	mu    sync.Mutex
	due   earliest // those that have been set, and not called since
	timer *time.Timer
	file  *os.File // the timerfd, or nil
	fd    uintptr
	retry time.Duration
	users int // Alarms that have been set and not stopped
}

var precise alarms

const retryAfter = time.Second

// shared is what alarms knows of an Alarm; it is guarded by mu.
type shared struct {
	uses  bool
	at    time.Duration // when the Alarm is due
	place int           // in alarms.due, counted from one; or zero
}

// share is Set. It is true on this system.
//
//threadcall:noalloc
func (a *Alarm) share(d time.Duration) bool {
	s := &precise
	s.mu.Lock()
	defer s.mu.Unlock()
	if !a.uses {
		a.uses = true
		s.users++
	}
	now := Now()
	if s.file == nil && now >= s.retry {
		s.open(now)
	}
	if a.at = now + d; a.place == 0 {
		heap.Push(&s.due, a)
	} else {
		heap.Fix(&s.due, a.place-1)
	}
	if s.due[0] == a {
		s.expireIn(d)
	}
	return true
}

// unshare is Stop. The goroutine that waits for the timerfd closes it.
func (a *Alarm) unshare() {
	s := &precise
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.place != 0 {
		heap.Remove(&s.due, a.place-1)
	}
	if a.uses {
		a.uses = false
		if s.users--; s.users == 0 {
			s.setTimerfd(0)
		}
	}
}

// open makes the timerfd. Without descriptors there is none.
func (s *alarms) open(now time.Duration) {
	const monotonic = 1
	fd, _, err := syscall.RawSyscall(
		syscall.SYS_TIMERFD_CREATE, monotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != 0 {
		s.retry = now + retryAfter
		return
	}
	s.fd, s.file = fd, os.NewFile(fd, "timerfd") //threadcall:alloc once
	go s.wait(s.file)                            //threadcall:alloc once
}

//threadcall:noalloc
func (s *alarms) expireIn(d time.Duration) {
	if s.timer == nil {
		s.timer = time.AfterFunc(d, s.call) //threadcall:alloc once
	} else {
		s.timer.Reset(d)
	}
	s.setTimerfd(d)
}

//threadcall:noalloc
func (s *alarms) setTimerfd(d time.Duration) {
	if s.file == nil {
		return
	}
	var spec struct{ interval, value syscall.Timespec }
	spec.value = syscall.NsecToTimespec(int64(min(max(d, 1), maxWait)))
	// the timer is left
	_, _, _ = syscall.RawSyscall6(
		syscall.SYS_TIMERFD_SETTIME, s.fd, 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}

const maxWait = time.Hour // far below what 32 bits of seconds hold

// call calls each Alarm that is due. If one of them calls Goexit, the timer calls the others.
func (s *alarms) call() {
	returned := false
	defer func() {
		if !returned {
			s.mu.Lock()
			s.expireIn(0)
			s.mu.Unlock()
		}
	}()
	for a := s.next(); a != nil; a = s.next() {
		a.fire()
	}
	returned = true
}

// next removes and returns an Alarm that is due, or has call called when the next will be.
//
//threadcall:noalloc
func (s *alarms) next() *Alarm {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.due) == 0 {
		return nil
	}
	if left := s.due[0].at - Now(); left > 0 {
		s.expireIn(left)
		return nil
	}
	return heap.Pop(&s.due).(*Alarm)
}

// wait waits for the timerfd until no Alarm is left. It does not read from it: each time that it
// expires is an event of its own, and setting it forgets that it has expired.
func (s *alarms) wait(file *os.File) {
	defer func() { // if a function calls Goexit, too
		s.mu.Lock()
		if s.file == file {
			s.file, s.retry = nil, Now()+retryAfter
		}
		s.mu.Unlock()
		file.Close()
	}()
	conn, err := file.SyscallConn()
	if err != nil {
		return
	}
	// called at once, because events before that are lost, and after each event; an error leaves the
	// Alarms to the timer
	_ = conn.Read(func(uintptr) bool {
		s.call()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users == 0 {
			s.file = nil
		}
		return s.users == 0
	})
}

// earliest is a heap of Alarms by the times at which they are due, see container/heap.
type earliest []*Alarm

func (h earliest) Len() int { return len(h) }

func (h earliest) Less(i, j int) bool { return h[i].at < h[j].at }

func (h earliest) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

//threadcall:noalloc
func (h *earliest) Push(x any) {
	a := x.(*Alarm)
	*h = append(*h, a) //threadcall:alloc when more are set than ever
	a.place = len(*h)
}

func (h *earliest) Pop() any {
	n := len(*h) - 1
	a := (*h)[n]
	(*h)[n] = nil
	*h, a.place = (*h)[:n], 0
	return a
}
