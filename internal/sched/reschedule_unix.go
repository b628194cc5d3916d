//go:build unix

package sched

import (
	"math"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/shortage"
)

// The pipe of Reschedule. The goroutine that has set used has all of it but asked:
//
//	asked  is set      by Reschedule, when the caller is about to park
//	       is cleared  by EndPass, which then owes a byte, or by Reschedule after maxPass
//
// A byte that comes too late ends the next pass early, which is harmless. Each wait ends: the
// caller has written the byte before, or there is a deadline.
var pipe struct {
	used, asked  atomic.Bool
	retry        time.Duration // when to open it, if it is not open
	parked       bool          // look has been called in this pass
	all          bool
	reader       *os.File
	conn         syscall.RawConn // of reader; nil if there is no pipe
	writer       *os.File
	fd           int // of writer
	byte, buffer []byte
}

var look = lookAtPipe // made once, because it escapes

const maxPass = time.Millisecond

// Reschedule lets the Go scheduler run what waits for the caller's P: goroutines, timers that are
// due, and what the network has made ready. After runtime.Gosched the scheduler finds the caller
// again before it polls the network. So the caller waits for a pipe to which it has written, and
// the P polls the network to find it. That takes 1 µs on Linux. Reschedule is false, and does
// nothing, where there is no such pipe or another goroutine waits for it.
//
// If all is true, the caller's P, if it has nothing else to run, also takes work of other Ps. That
// takes 5 to 30 µs. Reschedule then returns after EndPass, which a thread whose P is busy calls
// again and again, or after 1 ms.
func Reschedule(all bool) bool {
	p := &pipe
	if !p.used.CompareAndSwap(false, true) {
		return false
	}
	defer p.used.Store(false)
	if p.conn == nil {
		if now := clock.Now(); now >= p.retry {
			p.retry = openPipe(now) //threadcall:alloc once, or once a second without descriptors
		}
		if p.conn == nil {
			return false
		}
	}
	p.parked, p.all = false, all
	if all {
		_ = p.reader.SetReadDeadline(time.Now().Add(maxPass))
	}
	err := p.conn.Read(look)
	if all {
		p.asked.Store(false)
		_ = p.reader.SetReadDeadline(time.Time{})
	}
	return p.parked && (err == nil || all)
}

// openPipe returns when it is to be called again, if there is no pipe then.
func openPipe(now time.Duration) (retry time.Duration) {
	p := &pipe
	var err error
	if p.reader, p.writer, err = os.Pipe(); err != nil {
		if shortage.Passes(err) {
			return now + shortage.RetryAfter
		}
		return math.MaxInt64
	}
	conn, err := p.writer.SyscallConn()
	if err != nil || conn.Control(func(fd uintptr) { p.fd = int(fd) }) != nil ||
		p.reader.SetReadDeadline(time.Time{}) != nil { // the network poller does not know it
		return math.MaxInt64
	}
	p.byte, p.buffer = make([]byte, 1), make([]byte, 16)
	p.conn, _ = p.reader.SyscallConn()
	return 0
}

// lookAtPipe is called before the goroutine parks and when the pipe is readable.
func lookAtPipe(fd uintptr) bool {
	p := &pipe
	switch {
	case p.parked:
		_, _ = syscall.Read(int(fd), p.buffer)
		return true
	case p.all:
		p.asked.Store(true)
	default:
		if n, _ := syscall.Write(p.fd, p.byte); n != 1 {
			return true // there is nothing to wait for
		}
	}
	p.parked = true
	return false
}

// EndPass ends the wait of Reschedule, and reports whether there was one.
func EndPass() bool { return pipe.asked.Load() && endPass() }

func endPass() bool {
	ends := pipe.asked.CompareAndSwap(true, false)
	if ends {
		_, _ = syscall.Write(pipe.fd, pipe.byte)
	}
	return ends
}
