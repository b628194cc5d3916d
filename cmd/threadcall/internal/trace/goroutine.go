package trace

import (
	"math/bits"
	"time"

	xtrace "golang.org/x/exp/trace"
)

// A goroutine is what is kept of one that exists.
type goroutine struct {
	id         xtrace.GoID
	function   int32 // zero if not known
	created    stackID
	state      xtrace.GoState
	since      time.Duration
	reason     string // of the wait or the stop that state is
	why        Why    // the last execution ended
	ready      ready
	thread     int32 // that it runs on or ran on last, -1 if none
	executions uint32
	moves      uint32
	on         set    // threads
	tally      *tally // nil until it moves
	times      times
	visits     []*visit // functions of threadcall that it runs, the innermost last; see calls.go
}

// ready says how a goroutine became ready.
type ready struct {
	at      time.Duration
	thread  int32
	proc    xtrace.ProcID
	global  bool // it went to the queue of all Ps
	syscall bool // it came from a system call
}

// times are the sums of what a goroutine did.
type times struct{ running, runnable, waiting, syscall time.Duration }

// A tally counts moves.
type tally struct {
	why [whys]uint64
	via [vias]uint64
}

func (t *tally) add(why Why, via Via) {
	t.why[why]++
	t.via[via]++
}

// A set has small numbers.
type set []uint64

func (s *set) add(n int32) {
	for len(*s) <= int(n/64) {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s set) size() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
