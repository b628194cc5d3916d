package bench

import (
	"bytes"
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/internal/cores"
)

// A set is a set of up to 1,024 cores.
type set [1024 / bits.UintSize]uint

// restrict lets the thread run on these cores only. Zero is the calling thread.
func restrict(thread int, to set) (ok bool) { return cores.SetAffinity(thread, to[:]) == 0 }

// current returns the core that the calling thread is on, or -1.
func current() int {
	stat, _ := os.ReadFile("/proc/thread-self/stat")
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // from the third on
	if len(fields) <= 39-3 {
		return -1
	}
	core, err := strconv.Atoi(fields[39-3])
	if err != nil {
		return -1
	}
	return core
}

// only returns the set of one core.
func only(core int) (s set) {
	s[core/bits.UintSize] = 1 << (core % bits.UintSize)
	return s
}

// The values of the word. The thread leaves ask, its caller the others.
const (
	answer = iota
	ask
	end
)

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

// loneBound is the lower bound of a lone call between two threads that block: after a pause of 2
// ms, a thread wakes another on the same core and blocks until that has woken it, by futex and
// without the Go scheduler. Time is the median. It is false, without a Result, where there is no
// futex, or the runtime must not stop threads by a signal.
//
// The other thread keeps its P while it blocks, and there is one more: the scheduler is not a part
// of the bound. Only a signal stops such a thread.
func loneBound(n int) (compare.Result, bool) {
	var home set
	if cores.Affinity(home[:]); !preemptible() || current() < 0 || !restrict(0, home) {
		return compare.Result{}, false
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1))
	var word atomic.Uint32
	up, down := make(chan int), make(chan bool)
	go func() {
		defer close(down)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer restrict(0, home)
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
		time.Sleep(idlePause)
		runtime.LockOSThread()
		mine := only(current())
		restrict(0, mine)
		restrict(other, mine)
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
