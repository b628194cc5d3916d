package bench

import (
	"runtime"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/cores"
)

// Bound is the lower bound of a call between two threads that spin: they hand one atomic word to
// and fro, n times. An operation is there and back; Time is the mean. It is false, without a
// Result, where two threads cannot run at once.
func Bound(n int) (Result, bool) {
	if !spins() {
		return Result{}, false
	}
	s, stop := spin()
	defer stop()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return mean(func() int {
		for range n {
			s.exchange(ask)
		}
		return n
	}), true
}

// A spinner is a thread that spins until its word changes, and blocks after rest. One goroutine at
// a time may call it, which spins as well.
//
//	word     meaning                left by
//	answer   the thread spins       the caller, which stores one of the others
//	ask      f is to run            the thread, which stores answer after it
//	resting  the thread may block   the caller, which stores ask or end and sends to wake
//	end      the thread is to end   -
type spinner struct {
	_    [128]byte
	word atomic.Uint32
	f    func() // next to the word, so that one cache line has both
	_    [128]byte
	// has a place; what is left in it makes the thread look at the word once more
	wake chan bool
}

const (
	answer = iota
	ask
	resting
	end
)

// spin starts a spinner, which may block until it is called.
func spin() (s *spinner, stop func()) {
	s = &spinner{f: nop, wake: make(chan bool, 1)}
	up, down := make(chan bool), make(chan bool)
	go func() {
		defer close(down)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		close(up)
		for {
			switch s.await(answer) {
			case ask:
				s.f()
				s.word.Store(answer)
			case resting:
				<-s.wake
			case end:
				return
			}
		}
	}()
	<-up
	s.rest()
	return s, func() {
		s.set(end)
		<-down
	}
}

func (s *spinner) Call(f func()) bool {
	s.f = f
	s.exchange(ask)
	return true
}

func (s *spinner) Go(func()) bool { panic("not used") }

// rest lets the thread block until it is called again.
func (s *spinner) rest() { s.word.Store(resting) }

func (s *spinner) exchange(v uint32) {
	s.set(v)
	s.await(v)
}

func (s *spinner) set(v uint32) {
	if s.word.Swap(v) == resting {
		select {
		case s.wake <- true:
		default:
		}
	}
}

// await returns the word when it is not v. The other thread may need this one's core to make it so,
// or the collector its P.
func (s *spinner) await(v uint32) uint32 {
	for {
		for range 1000 {
			for range 2000 {
				if now := s.word.Load(); now != v {
					return now
				}
			}
			cores.Yield()
		}
		runtime.Gosched()
	}
}

// spins is whether two threads can run at once.
func spins() bool { return runtime.GOMAXPROCS(0) > 1 && runtime.NumCPU() > 1 }
