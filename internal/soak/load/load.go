// Package load does what programs do with threads, all of it at once, for as long as it is let.
//
// Each kind of load takes turns with a pause between them, and leaves nothing behind after a turn. What the process
// holds is therefore the same at all times, but for noise; whatever grows has leaked.
package load

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A kind of load is one thing that a program may do with threads.
type kind struct {
	name  string
	about string        // what a turn does
	pause time.Duration // between two turns
	turn  func(w *world) (calls int)
}

// kinds are described where their turns are.
var kinds = [][]kind{calling, waiting, circling, failing, living, hosting, disturbing}

// A Load is under way until its context is done.
type Load struct {
	kinds   []*meter
	world   *world
	turning sync.WaitGroup

	mu     sync.Mutex
	faults []string
}

// A meter is a kind at work.
type meter struct {
	kind
	turns, calls atomic.Uint64
	since        atomic.Int64 // when the turn that is under way began, as time.Time.UnixNano
}

// A Row is what one kind has done.
type Row struct {
	Name, About  string
	Turns, Calls uint64
}

// Start begins all kinds of load. They end after ctx is done; see Wait.
func Start(ctx context.Context) *Load {
	l := &Load{}
	l.world = newWorld(l.fault)
	for _, group := range kinds {
		for _, k := range group {
			m := &meter{kind: k}
			m.since.Store(time.Now().UnixNano())
			l.kinds = append(l.kinds, m)
			l.turning.Go(func() { l.run(ctx, m) })
		}
	}
	return l
}

func (l *Load) run(ctx context.Context, m *meter) {
	for ctx.Err() == nil {
		m.since.Store(time.Now().UnixNano())
		l.turn(m)
		m.turns.Add(1)
		time.Sleep(m.pause)
	}
	m.since.Store(0)
}

// turn takes a turn. A panic that arrives here was not expected.
func (l *Load) turn(m *meter) {
	defer func() {
		if v := recover(); v != nil {
			l.fault("%s: panic: %v\n%s", m.name, v, debug.Stack())
		}
	}()
	m.calls.Add(uint64(m.kind.turn(l.world)))
}

// Wait returns when all turns have ended, and the threads that lasted have been terminated.
func (l *Load) Wait() {
	l.turning.Wait()
	l.world.end()
}

// Calls returns how many functions have been handed to a thread and have run, or were refused as they should be.
func (l *Load) Calls() (n uint64) {
	for _, m := range l.kinds {
		n += m.calls.Load()
	}
	return n
}

// Stuck names a kind of load whose turn has been under way for longer than patience, or nothing.
func (l *Load) Stuck(patience time.Duration) string {
	for _, m := range l.kinds {
		if since := m.since.Load(); since != 0 && time.Since(time.Unix(0, since)) > patience {
			return m.name
		}
	}
	return ""
}

// Faults returns what went otherwise than it should have, at most maxFaults of it.
func (l *Load) Faults() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.faults
}

const maxFaults = 20

func (l *Load) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) < maxFaults {
		l.faults = append(l.faults, fmt.Sprintf(format, args...))
	}
}

// Rows returns what each kind has done so far.
func (l *Load) Rows() (rows []Row) {
	for _, m := range l.kinds {
		rows = append(rows, Row{m.name, m.about, m.turns.Load(), m.calls.Load()})
	}
	return rows
}
