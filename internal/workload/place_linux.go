package workload

import (
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// cores is a set of them, as the kernel has it.
type cores [1024 / bits.UintSize]uint

var (
	allowed   cores // of this process, before it is placed
	near, far int   // the first two of them; equal if there is only one
)

func init() {
	const self = 0
	syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, self, unsafe.Sizeof(allowed), uintptr(unsafe.Pointer(&allowed)))
	near, far = -1, -1
	for core := range 8 * int(unsafe.Sizeof(allowed)) {
		if allowed[core/bits.UintSize]>>(core%bits.UintSize)&1 == 0 {
			continue
		}
		if far = core; near >= 0 {
			break
		}
		near = core
	}
}

// restrict lets the thread run on these cores only. Zero is the calling thread.
func restrict(thread int, to cores) error {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(thread), unsafe.Sizeof(to), uintptr(unsafe.Pointer(&to)))
	if errno != 0 {
		return errno
	}
	return nil
}

// pin holds the calling thread on a core.
func pin(core int) error {
	var only cores
	only[core/bits.UintSize] |= 1 << (core % bits.UintSize)
	return restrict(0, only)
}

func place(how string) error {
	if near < 0 {
		return fmt.Errorf("%s=%s: the kernel does not tell the cores of this process", placement, how)
	}
	if how != one && how != two {
		return fmt.Errorf("%s=%s: it must be one or two", placement, how)
	}
	if how == two && near == far {
		return fmt.Errorf("%s=%s: this process has one core", placement, how)
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0)) // as many Ps as without, and the runtime does not adapt them
	var only cores
	only[near/bits.UintSize] |= 1 << (near % bits.UintSize)
	for range 2 { // a thread that comes between is made by one that may not have been restricted
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, t := range tasks {
			thread, err := strconv.Atoi(t.Name())
			if err != nil {
				return err
			}
			if err := restrict(thread, only); err != nil && err != syscall.ESRCH {
				return fmt.Errorf("holding a thread on core %d: %w", near, err)
			}
		}
	}
	return nil
}

// Everywhere runs f, from which processes may be started that run on any core, whatever the placement.
func Everywhere(f func()) {
	if placed != two {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	restrict(0, allowed)
	defer pin(near)
	f()
}

const (
	futexWait = 0 | 128 // FUTEX_WAIT, private to the process
	futexWake = 1 | 128
)

// futex is not inlined, so that whoever waits in a loop can be preempted there.
//
//go:noinline
func futex(word *atomic.Uint32, op, value uintptr) {
	syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), op, value, 0, 0, 0)
}

// loneFloor lets both threads keep their Ps while they sleep, and adds as many Ps: what the scheduler does is no part of
// the floor.
func loneFloor(x Extent, cores int) (Result, bool) {
	if near < 0 || cores == 2 && (near == far || placed == one) || cores == 1 && placed == two {
		return Result{}, false
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 2))
	var word atomic.Uint32
	up, down := make(chan bool), make(chan bool)
	on := func(core int, f func()) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		pin(core)
		defer func() {
			if placed == anywhere {
				restrict(0, allowed)
			} else {
				pin(near)
			}
		}()
		f()
	}
	other := near
	if cores == 2 {
		other = far
	}
	go on(other, func() {
		defer close(down)
		close(up)
		for {
			switch word.Load() {
			case answer:
				futex(&word, futexWait, answer)
			case ask:
				word.Store(answer)
				futex(&word, futexWake, 1)
			case end:
				return
			}
		}
	})
	<-up
	var r Result
	on(near, func() {
		r = single(x, func(int) {
			ts := syscall.NsecToTimespec(int64(2 * time.Millisecond))
			syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
		}, func() {
			word.Store(ask)
			futex(&word, futexWake, 1)
			for word.Load() == ask {
				futex(&word, futexWait, ask)
			}
		})
	})
	word.Store(end)
	futex(&word, futexWake, 1)
	<-down
	return r, true
}
