package park

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A Sleeper lets a thread wait in the operating system: on Linux for a futex word that holds awake or asleep.
//
//	awake    asleep   sleeper  Arm
//	asleep   awake    waker    Wake, before it makes the system call
//
// The sleeper looks at what it waits for between Arm and Sleep, the waker makes it true before Wake. So either the
// sleeper sees it, or Wake comes after Arm and the kernel finds the word changed, or finds the sleeper and wakes it.
type Sleeper struct{ word atomic.Uint32 }

const (
	awake  = 0
	asleep = 1

	futexWait = 0 | 128 // FUTEX_WAIT, private to the process
	futexWake = 1 | 128
)

var noFutex atomic.Bool // the kernel has refused the system call

// CanSleep tells whether Sleep sleeps, and does so without keeping the Go scheduler from stopping the world.
//
// Sleep keeps the P of the goroutine that calls it. When the collector wants to stop the world, the runtime sends the
// thread a signal, which ends the sleep; without asynchronous preemption it would not.
func CanSleep() bool { return preemptible && !noFutex.Load() }

var preemptible = !asyncPreemptOff()

// Arm announces a Sleep.
func (s *Sleeper) Arm() { s.word.Store(asleep) }

// Sleep blocks the thread until Wake, or a signal, or for at most d, or for no reason. It does not tell the Go
// scheduler, which therefore does nothing either when it ends: there is one wake-up and nothing else is woken. But the
// scheduler also thinks that the goroutine computes, and gives its P to no other: sleep only when another P is idle, and
// not for long. If the kernel refuses the system call, as under a seccomp filter, CanSleep is false from then on, and for
// Wake likewise.
func (s *Sleeper) Sleep(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_, _, errno := syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&s.word)), futexWait, asleep,
		uintptr(unsafe.Pointer(&ts)), 0, 0)
	if errno != 0 && errno != syscall.EAGAIN && errno != syscall.EINTR && errno != syscall.ETIMEDOUT {
		noFutex.Store(true)
	}
}

// Wake ends the Sleep that is announced or under way.
func (s *Sleeper) Wake() {
	s.word.Store(awake)
	_, _, errno := syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&s.word)), futexWake, 1, 0, 0, 0)
	if errno != 0 {
		noFutex.Store(true)
	}
}
