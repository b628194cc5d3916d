package park

import (
	"math/bits"
	"syscall"
	"time"
	"unsafe"
)

// CPU returns the number of the core that the caller is on at this moment, or -1 if the kernel does
// not report it, as under a seccomp filter.
func CPU() int {
	var cpu uint32
	if _, _, errno := syscall.RawSyscall(sysGetcpu, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return -1
	}
	return int(cpu)
}

// Yield lets other threads have the core, if they want it.
func Yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

// Sleep puts the calling thread to sleep for the shortest time that the kernel knows, 50 µs as a
// rule. The kernel wakes a thread on an idle core, if there is one.
func Sleep() {
	ts := syscall.Timespec{Nsec: 1}
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// Leave moves the calling thread from a core to another one that it may run on, and is false if
// there is none. The kernel wakes a thread on the core on which it last ran or on that of its
// waker, and two threads that are awake stay together until the next tick, 4 ms as a rule.
//
// For a moment the thread's affinity mask lacks the core. Afterwards it is what it was: as wide as
// the control group allows, if it was that, so that it still widens with it. A mask that another
// process sets meanwhile stays, unless that comes within the microsecond between two system calls.
func Leave(core int) bool {
	var before, now, all CoreSet
	if core < 0 || core >= 8*before.Get() {
		return false
	}
	without := before
	without[core/bits.UintSize] &^= 1 << (core % bits.UintSize)
	if without == (CoreSet{}) || SetAffinity(0, without[:]) != 0 {
		return false
	}
	if now.Get(); now != without {
		return true
	}
	for i := range all {
		all[i] = ^uint(0)
	}
	SetAffinity(0, all[:])
	if now.Get(); now != before {
		SetAffinity(0, before[:])
	}
	return true
}

// CPUTime returns the CPU time of the process. That takes 0.5 µs. It is false if the system does
// not report it.
func CPUTime() (d time.Duration, ok bool) {
	const processClock = 2
	var ts syscall.Timespec
	_, _, errno := syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, processClock, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano()), errno == 0
}
