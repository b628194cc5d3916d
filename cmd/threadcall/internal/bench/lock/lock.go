// Package lock lets one benchmark at a time run on a machine, whoever starts it.
//
// There is no daemon. A process that wants the machine puts a ticket, a file, at the end of a queue, a directory that all
// users may write to, and keeps the ticket locked while it lives. The kernel unlocks the ticket of a process that ends,
// however it ends, and a ticket that is not locked counts for nothing. Who has no ticket before it that it must wait for
// locks the file named machine, and has the machine.
//
//	wants       waits for the tickets before it that are
//	Exclusive   of any mode
//	Shared      Exclusive, whether they have the machine or wait for it
//
// So tickets are served in the order in which they came, and those in Shared mode cannot starve one in Exclusive mode.
//
// The queue orders; the lock on the file machine excludes. Should someone tamper with the queue, two benchmarks may go in
// the wrong order, but still not at the same time.
package lock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// DirVariable names the environment variable that says where the queue is, for those who want one of their own. Without
// it, it is in a place that is the same for all users of the host.
const DirVariable = "THREADCALL_BENCH_QUEUE"

// A Mode says with whom the machine can be shared.
type Mode int

const (
	Exclusive Mode = iota // with nobody
	Shared                // with others in this mode
)

func (m Mode) String() string {
	if m == Shared {
		return "shared"
	}
	return "exclusive"
}

// MarshalText returns the mode as String has it.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// An Entry is a process that has the machine, or waits for it.
type Entry struct {
	PID     int       `json:"pid"`  // as the process itself sees it; 0 if unknown
	User    string    `json:"user"` // the owner of its ticket
	Mode    Mode      `json:"mode"`
	Queued  time.Time `json:"queued"`  // when it came
	Held    time.Time `json:"held"`    // since when it has the machine; zero if it waits
	Command string    `json:"command"` // printable
	Dir     string    `json:"dir"`     // its working directory, printable
}

// Waits reports whether the process has not got the machine yet.
func (e Entry) Waits() bool { return e.Held.IsZero() }

// String describes the process in half a line: "pid 42 (gopher) in /home/gopher/x since 15:04:05: threadcall bench".
func (e Entry) String() string {
	verb, since := "since", e.Held
	if e.Waits() {
		verb, since = "waiting since", e.Queued
	}
	return fmt.Sprintf("pid %d (%s) in %s %s %s: %s", e.PID, e.User, e.Dir, verb, since.Local().Format(time.TimeOnly), e.Command)
}

// A Lock is the machine, had.
type Lock struct {
	queue  *queue
	ticket *ticket
	file   *os.File
}

// heldVariable tells the processes that a holder starts which ticket it has.
const heldVariable = "THREADCALL_BENCH_HELD"

// Acquire waits until the machine is free, in the order in which processes came, and takes it. The lock lasts until
// Release, or the end of the process. Processes that this one starts do not prolong it.
//
// Others see command, and the working directory, in List. If Acquire has to wait, it calls waits, unless that is nil, with
// those before it that it waits for, in their order, and again each time they have changed.
//
// If ctx is done first, Acquire leaves the queue and returns an error that wraps ctx.Err(). It is also an error if the
// queue cannot be made or is not to be trusted, and if a process that started this one has the machine, so that they would
// wait for each other. On systems without file locks that the kernel releases, the error wraps errors.ErrUnsupported.
func Acquire(ctx context.Context, mode Mode, command string, waits func(ahead []Entry)) (*Lock, error) {
	q, err := openQueue(true)
	if err != nil {
		return nil, err
	}
	for {
		t, err := q.enqueue(ctx, mode, command)
		if err == nil {
			var file *os.File
			if file, err = q.wait(ctx, t, waits); err == nil {
				t.note(note{Held: time.Now()})
				os.Setenv(heldVariable, t.id)
				return &Lock{q, t, file}, nil
			}
			q.leave(t)
		}
		if !errors.Is(err, errTicketGone) {
			q.close()
			return nil, err
		}
	}
}

// Release lets the next have the machine. Only the first call does anything.
func (l *Lock) Release() {
	if l.queue == nil {
		return
	}
	os.Unsetenv(heldVariable)
	l.queue.leave(l.ticket)
	l.file.Close()
	l.queue.close()
	l.queue = nil
}

// List returns who has the machine and who waits for it, in the order of the queue. It removes what processes that were
// killed have left there, as far as the system lets this user do so.
func List() ([]Entry, error) {
	q, err := openQueue(false)
	if err != nil || q == nil {
		return nil, err
	}
	defer q.close()
	return q.list()
}

// A note is what a process writes to its ticket, a line of JSON each time: who it is, and later since when it has the
// machine.
type note struct {
	PID     int       `json:"pid,omitempty"`
	User    string    `json:"user,omitempty"`
	Queued  time.Time `json:"queued,omitzero"`
	Held    time.Time `json:"held,omitzero"`
	Command string    `json:"command,omitempty"`
	Dir     string    `json:"dir,omitempty"`
}

func (n note) line() []byte {
	b, err := json.Marshal(n)
	if err != nil {
		panic(err) // not with these types
	}
	return append(b, '\n')
}
