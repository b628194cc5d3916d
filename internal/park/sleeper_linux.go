package park

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A Sleeper is a thread's bed in the operating system: on Linux a futex word that holds awake or asleep.
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

// CanSleep tells whether Sleep sleeps, and does so without keeping the Go scheduler from stopping the world.
//
// Sleep keeps the P of the goroutine that calls it. When the collector wants to stop the world, the runtime sends the
// thread a signal, which ends the sleep; without asynchronous preemption it would not.
var CanSleep = !asyncPreemptOff()

// Arm announces a Sleep.
func (s *Sleeper) Arm() { s.word.Store(asleep) }

// Sleep blocks the thread until Wake, or a signal, or for at most d, or for no reason. It does not tell the Go
// scheduler, which therefore does nothing either when it ends: there is one wake-up and nobody else is woken. But the
// scheduler also thinks that the goroutine computes, and gives its P to nobody else: sleep only when another P is
// idle, and not for long.
func (s *Sleeper) Sleep(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&s.word)), futexWait, asleep,
		uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// Wake ends the Sleep that is announced or under way.
func (s *Sleeper) Wake() {
	s.word.Store(awake)
	syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&s.word)), futexWake, 1, 0, 0, 0)
}
