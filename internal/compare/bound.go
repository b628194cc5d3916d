package compare

import (
	"runtime"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/cores"
)

// Bound is the lower bound of a call between two threads that spin: they hand one atomic word to
// and fro, n times. An operation is there and back; Time is the mean. It is false, without a
// Result, where two threads cannot run at once.
func Bound(n int) (Result, bool) {
	if !Spins() {
		return Result{}, false
	}
	s, stop := Spin()
	defer stop()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return Measure(func() int {
		for range n {
			s.exchange(ask)
		}
		return n
	}), true
}

// A Spinner is a thread that spins until its word changes, and blocks after rest. One goroutine at
// a time may call it, which spins as well.
//
//	word     meaning                left by
//	answer   the thread spins       the caller, which stores one of the others
//	ask      f is to run            the thread, which stores answer after it
//	resting  the thread may block   the caller, which stores ask or end and sends to wake
//	end      the thread is to end   -
type Spinner struct {
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

// Spin starts a Spinner, which may block until it is called.
func Spin() (s *Spinner, stop func()) {
	s = &Spinner{f: nop, wake: make(chan bool, 1)}
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
	s.Rest()
	return s, func() {
		s.set(end)
		<-down
	}
}

func (s *Spinner) Call(f func()) bool {
	s.f = f
	s.exchange(ask)
	return true
}

func (s *Spinner) Go(func()) bool { panic("not used") }

// Rest lets the thread block until it is called again.
func (s *Spinner) Rest() { s.word.Store(resting) }

func (s *Spinner) exchange(v uint32) {
	s.set(v)
	s.await(v)
}

func (s *Spinner) set(v uint32) {
	if s.word.Swap(v) == resting {
		select {
		case s.wake <- true:
		default:
		}
	}
}

// await returns the word when it is not v. The other thread may need this one's core to make it so,
// or the collector its P.
func (s *Spinner) await(v uint32) uint32 {
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

// Spins is whether two threads can run at once.
func Spins() bool { return runtime.GOMAXPROCS(0) > 1 && runtime.NumCPU() > 1 }
