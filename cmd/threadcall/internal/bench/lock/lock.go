// Package lock lets one benchmark at a time run on a machine, in the order in which they were started.
//
// There is no daemon. A process that needs the lock makes a ticket, a file with a number, in a directory that all users
// may write to, and keeps it locked while it lives. The kernel unlocks the ticket of a process that ends, however it ends,
// and a ticket that is not locked counts for nothing. The process without a live ticket before its own locks the file named
// machine. That file is the lock; the tickets are the order. A user who tampers with tickets can change the order, but not
// run two benchmarks at the same time.
package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// DirVariable names the environment variable with the directory of the queue. Without it, the directory is the same for all
// users of the machine.
const DirVariable = "THREADCALL_BENCH_QUEUE"

// An Entry is a process that holds the lock, or waits for it.
type Entry struct {
	PID     int       `json:"pid"`           // as the process itself sees it; 0 if unknown
	User    string    `json:"user"`          // the owner of its ticket
	Queued  time.Time `json:"queued"`        // when it began to wait
	Held    time.Time `json:"held,omitzero"` // when it got the lock; zero if it waits
	Command string    `json:"command"`       // printable
	Dir     string    `json:"dir"`           // its working directory, printable
}

// Waits reports whether the process does not hold the lock yet.
func (e Entry) Waits() bool { return e.Held.IsZero() }

// String returns half a line: "pid 42 (gopher) in /home/gopher/x since 15:04:05: threadcall bench".
func (e Entry) String() string {
	verb, since := "since", e.Held
	if e.Waits() {
		verb, since = "waiting since", e.Queued
	}
	return fmt.Sprintf("pid %d (%s) in %s %s %s: %s", e.PID, e.User, e.Dir, verb, since.Local().Format(time.TimeOnly), e.Command)
}

// A Lock is held.
type Lock struct {
	queue  *queue
	ticket *ticket
	file   *os.File
}

// A waiter examines the queue after pollFirst, and then less and less often, so that it does not disturb the benchmark that
// it waits for: each time takes half a millisecond of CPU time.
const (
	pollFirst = 10 * time.Millisecond
	pollLast  = time.Second
)

// Acquire waits for the lock, in the order in which processes came. The lock lasts until
// Release, or the end of the process. Processes that this one starts do not prolong it.
//
// List shows command and the working directory to others. If Acquire has to wait, it calls waits with the processes before
// it, in their order, and again each time they have changed.
//
// If ctx is done first, Acquire leaves the queue and returns an error that wraps ctx.Err(). It is also an error if the
// directory cannot be made or is not to be trusted. On systems without file locks that the kernel releases, the error wraps
// errors.ErrUnsupported.
func Acquire(ctx context.Context, command string, waits func(ahead []Entry)) (*Lock, error) {
	q, err := openQueue(true)
	if err != nil {
		return nil, err
	}
	t, err := q.enqueue(ctx, command)
	if err != nil {
		q.root.Close()
		return nil, err
	}
	file, err := q.wait(ctx, t, waits)
	if err != nil {
		q.leave(t)
		q.root.Close()
		return nil, err
	}
	t.write(Entry{Held: time.Now()})
	return &Lock{q, t, file}, nil
}

func (q *queue) wait(ctx context.Context, t *ticket, waits func([]Entry)) (*os.File, error) {
	var reported []Entry
	for pause := pollFirst; ; pause = min(pause*5/4, pollLast) {
		ahead, err := q.live(t.number)
		if err != nil {
			return nil, err
		}
		if len(ahead) == 0 {
			if file, err := q.lockFile("machine"); !errors.Is(err, errBusy) {
				return file, err
			}
		}
		same := func(a, b Entry) bool { return a.PID == b.PID && a.Queued.Equal(b.Queued) }
		if reported == nil || !slices.EqualFunc(reported, ahead, same) {
			reported = append([]Entry{}, ahead...)
			waits(ahead)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("gave up waiting for the lock: %w", ctx.Err())
		case <-time.After(pause):
		}
	}
}

// Release gives the lock to the next process. Only the first call does anything.
func (l *Lock) Release() {
	if l.file == nil {
		return
	}
	l.queue.leave(l.ticket)
	l.file.Close()
	l.file = nil
	l.queue.root.Close()
}

// List returns the process that holds the lock and those that wait for it, in the order of the queue.
func List() ([]Entry, error) {
	q, err := openQueue(false)
	if err != nil || q == nil {
		return nil, err
	}
	defer q.root.Close()
	return q.live(maxNumber)
}
