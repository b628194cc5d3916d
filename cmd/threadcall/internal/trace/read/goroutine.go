package read

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A goroutine is the state of one that exists.
type goroutine struct {
	id         xtrace.GoID
	function   int32 // zero if not known
	created    stackID
	first      time.Duration // when it was created, zero if before the trace
	state      xtrace.GoState
	since      time.Duration
	reason     string // for the wait or the stop that state is
	why        string // the last execution ended
	ready      ready
	thread     int32 // on which it runs or ran last, -1 if none
	executions uint32
	moves      uint32
	on         set // threads
	whys, vias tally
	times      times
	away                // see waiting.go
	visits     []*visit // functions of threadcall that it runs, the innermost last; see calls.go
}

// ready has how a goroutine became ready.
type ready struct {
	at      time.Duration
	thread  int32
	proc    xtrace.ProcID
	global  bool // it was put into the queue of all Ps
	syscall bool // it returned from a system call
}

// times are the sums of the times in each state.
type times struct{ running, runnable, waiting, syscall time.Duration }

// A tally counts by name.
type tally []report.Count

func (t *tally) add(name string) {
	for i := range *t {
		if c := &(*t)[i]; c.Name == name {
			c.N++
			return
		}
	}
	*t = append(*t, report.Count{Name: name, N: 1})
}

// counts returns the counts, the largest first.
func (t tally) counts() []report.Count {
	list := append([]report.Count{}, t...)
	slices.SortFunc(list, func(a, b report.Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	return list
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
