package bench

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

	"github.com/threadcall/threadcall/internal/park"
)

var (
	allowed   park.CoreSet // of this process, before it is placed
	near, far int          // the first two of them; equal if there is only one
)

func init() {
	allowed.Get()
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
func restrict(thread int, to park.CoreSet) error {
	if errno := park.SetAffinity(thread, to[:]); errno != 0 {
		return errno
	}
	return nil
}

// pin holds the calling thread on a core.
func pin(core int) error { return restrict(0, park.Only(core)) }

func place(how string) error {
	if near < 0 {
		return fmt.Errorf("%s=%s: the kernel does not report the cores of this process", placement,
			how)
	}
	if how != one && how != two {
		return fmt.Errorf("%s=%s: it must be one or two", placement, how)
	}
	if how == two && near == far {
		return fmt.Errorf("%s=%s: this process has one core", placement, how)
	}
	// as many Ps as without, and the runtime does not adapt them
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	// a thread that comes between is made by one that may not have been restricted
	for range 2 {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, t := range tasks {
			thread, err := strconv.Atoi(t.Name())
			if err != nil {
				return err
			}
			if err := restrict(thread, park.Only(near)); err != nil && err != syscall.ESRCH {
				return fmt.Errorf("holding a thread on core %d: %w", near, err)
			}
		}
	}
	return nil
}

// everywhere runs f, from which processes may be started that run on any core, whatever the
// placement.
func everywhere(f func()) {
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

// futex is not inlined, so that a goroutine that waits in a loop can be preempted there.
//
//go:noinline
func futex(word *atomic.Uint32, op, value uintptr) {
	syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), op, value, 0, 0, 0)
}

// loneBound lets the other thread keep its P while it blocks, and adds one: the scheduler is no
// part of the bound. The runtime stops such a thread by a signal, unless it must not. The caller
// pauses as in Lone.
func loneBound(n, cores int) (Result, bool) {
	home := allowed
	if placed != anywhere {
		home = park.Only(near)
	}
	if cores == 2 && (near == far || placed == one) || cores == 1 && placed == two ||
		park.CPU() < 0 || restrict(0, home) != nil {
		return Result{}, false
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1))
	var word atomic.Uint32
	up, down := make(chan int), make(chan bool)
	go func() {
		defer close(down)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer func() { restrict(0, home) }()
		up <- syscall.Gettid()
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
	}()
	other := <-up
	runtime.LockOSThread()
	r := single(n, func(int) {
		restrict(0, home)
		runtime.UnlockOSThread()
		time.Sleep(idle)
		runtime.LockOSThread()
		mine := park.CPU()
		its := mine
		if cores == 2 {
			if its = far; its == mine {
				its = near
			}
		}
		pin(mine)
		restrict(other, park.Only(its))
	}, func() {
		word.Store(ask)
		futex(&word, futexWake, 1)
		for word.Load() == ask {
			futex(&word, futexWait, ask)
		}
	})
	restrict(0, home)
	runtime.UnlockOSThread()
	word.Store(end)
	futex(&word, futexWake, 1)
	<-down
	r.CPU = 0 // not a bound: the runtime's monitor watches the P that is kept
	return r, true
}
