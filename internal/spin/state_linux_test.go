package spin

import (
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/testutil"
)

// Both sides let the other run that may share the core: a thread that computes there runs after
// each look, and not only after a timeslice.
func TestLook_yieldsItsCore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	hasCores(t, 2)
	s, c := call()
	r := thread()
	for name, looks := range map[string]func(){
		"the caller": func() { s.look(c, clock.Now(), time.Millisecond, true) },
		"the thread": func() { r.YieldCore() },
	} {
		var core [128]uint
		var set, done atomic.Bool
		var both testutil.Group
		both.Go(func() { // each goroutine ends with its thread
			defer done.Store(true)
			runtime.LockOSThread()
			if _, errno := cores.Affinity(core[:]); errno != 0 {
				t.Error(errno)
				return
			}
			i := slices.IndexFunc(core[:], func(word uint) bool { return word != 0 })
			first := core[i] & -core[i]
			clear(core[:])
			core[i] = first
			if errno := cores.SetAffinity(0, core[:]); errno != 0 {
				t.Error(errno)
				return
			}
			set.Store(true)
			begun := usage()
			for usage().switches-begun.switches < 20 {
				looks()
			}
			u := usage()
			if each := (u.cpu - begun.cpu) / time.Duration(u.switches-begun.switches); each > ms/2 {
				t.Errorf("%s runs for %v before another thread does", name, each)
			}
		})
		both.Go(func() {
			runtime.LockOSThread()
			for !set.Load() && !done.Load() {
				runtime.Gosched()
			}
			_ = cores.SetAffinity(0, core[:])
			for !done.Load() {
				_ = time.Now() // which can be preempted in all modes
			}
		})
		both.Wait()
	}
}

const ms = time.Millisecond

type used struct {
	switches int64         // to other threads, while this one could go on
	cpu      time.Duration // of this thread
}

func usage() used {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		panic(err)
	}
	return used{int64(u.Nivcsw), time.Duration(u.Utime.Nano() + u.Stime.Nano())}
}
