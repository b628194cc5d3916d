package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// The files of a queue, beside the tickets.
const (
	gateName    = "gate"    // locked by who adds or removes a ticket that is not its own
	machineName = "machine" // locked by who has the machine
)

// gatePatience is how long to wait for the gate. Nobody has it for longer than a few file operations take.
const gatePatience = 10 * time.Second

// A waiter looks whether it is its turn again after pollFirst, and then less and less often, so that it does not disturb
// the benchmark that it waits for: a look takes half a millisecond of CPU time.
const (
	pollFirst = 10 * time.Millisecond
	pollLast  = time.Second
)

var (
	errBusy       = errors.New("locked by another process")
	errTicketGone = errors.New("someone has removed the ticket")
)

// A queue is an open directory of tickets.
type queue struct {
	dir  string
	root *os.Root // what is opened by it stays in the directory, whatever links are there
}

func (q *queue) close() { q.root.Close() }

// enqueue puts a ticket at the end. New tickets are only made by who has the gate, so a ticket that is seen without its lock
// behind the gate is that of a process that has ended.
func (q *queue) enqueue(ctx context.Context, mode Mode, command string) (*ticket, error) {
	gate, err := q.enterGate(ctx)
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	present, err := q.tickets()
	if err != nil {
		return nil, err
	}
	last := uint64(0)
	for _, t := range present {
		last = t.number
		if live, err := q.live(t.name); err == nil && !live {
			q.remove(t.name) // fails if it is another user's
		}
	}
	return q.makeTicket(last+1, mode, command)
}

// wait returns the locked file of the machine when it is t's turn.
func (q *queue) wait(ctx context.Context, t *ticket, waits func([]Entry)) (*os.File, error) {
	var told []string
	for pause := pollFirst; ; pause = min(pause*5/4, pollLast) {
		ahead, err := q.ahead(t)
		if err != nil {
			return nil, err
		}
		if len(ahead) == 0 {
			if file, err := q.lockFile(machineName, t.mode == Exclusive); !errors.Is(err, errBusy) {
				return file, err
			}
		}
		var entries []Entry
		var ids []string
		left := false // one of them, since ahead has found it: the next look tells of the others
		for _, a := range ahead {
			entry, id := q.read(a)
			left = left || id == ""
			if id != "" && id == os.Getenv(heldVariable) {
				return nil, fmt.Errorf("the benchmark that started this one has the machine, and would wait for it for ever: "+
					"%v; run this one without the lock", entry)
			}
			entries, ids = append(entries, entry), append(ids, id)
		}
		if !left && (told == nil || !slices.Equal(told, ids)) {
			told = append([]string{}, ids...)
			if waits != nil {
				waits(entries)
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("gave up waiting for the machine: %w", ctx.Err())
		case <-time.After(pause):
		}
	}
}

// ahead returns the live tickets that t must wait for. It needs no gate: they were there, and locked, before t was.
func (q *queue) ahead(t *ticket) ([]ticketName, error) {
	if !q.is(t.file, t.name) {
		return nil, errTicketGone
	}
	present, err := q.tickets()
	if err != nil {
		return nil, err
	}
	var ahead []ticketName
	for _, p := range present {
		if p.number >= t.number || t.mode == Shared && p.mode == Shared {
			continue
		}
		live, err := q.live(p.name)
		if err != nil {
			return nil, err
		}
		if live {
			ahead = append(ahead, p)
		}
	}
	return ahead, nil
}

// leave removes t. The ticket is removed before it is unlocked, or its number could be given to another one in between.
func (q *queue) leave(t *ticket) {
	if removesOpenFiles && q.is(t.file, t.name) {
		q.remove(t.name)
	}
	t.file.Close()
	if !removesOpenFiles {
		q.remove(t.name) // fails if another has it now, because that has opened it
	}
}

// list cleans up only behind the gate, and lists without it if that cannot be had.
func (q *queue) list() ([]Entry, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	gate, err := q.enterGate(ctx)
	if err == nil {
		defer gate.Close()
	}
	present, err := q.tickets()
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, t := range present {
		live, err := q.live(t.name)
		if err != nil {
			return nil, err
		}
		if !live {
			if gate != nil {
				q.remove(t.name)
			}
			continue
		}
		entry, _ := q.read(t)
		entries = append(entries, entry)
	}
	return entries, nil
}

// tickets returns those that are present, dead or alive, by number.
func (q *queue) tickets() ([]ticketName, error) {
	d, err := q.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var present []ticketName
	for _, name := range names {
		if t, ok := parseTicketName(name); ok {
			present = append(present, t)
		}
	}
	slices.SortFunc(present, func(a, b ticketName) int { return cmp.Compare(a.number, b.number) })
	return present, nil
}

// live reports whether the process that made the file has it locked. What is no file, or one that this user may not open, was
// not made by a benchmark.
func (q *queue) live(name string) (bool, error) {
	if info, err := q.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	f, err := q.open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return false, nil
	case err != nil:
		return false, err
	}
	defer f.Close()
	locked, err := tryLock(f, false) // not exclusive: others may look at the same time
	return !locked, err
}

// enterGate returns the locked gate.
func (q *queue) enterGate(ctx context.Context) (*os.File, error) {
	for begin := time.Now(); ; {
		gate, err := q.lockFile(gateName, true)
		if !errors.Is(err, errBusy) {
			return gate, err
		}
		if time.Since(begin) > gatePatience {
			return nil, fmt.Errorf("the queue in %s is stuck: a process has its gate and does not go on, perhaps because it is "+
				"stopped; end it, or remove the directory", q.dir)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("gave up waiting for the machine: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// lockFile locks the file of that name, making it if need be, or returns errBusy.
func (q *queue) lockFile(name string, exclusive bool) (*os.File, error) {
	for range 100 {
		f, err := q.open(name)
		if errors.Is(err, fs.ErrNotExist) {
			if f, err = q.create(name); errors.Is(err, fs.ErrExist) {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		locked, err := tryLock(f, exclusive)
		switch {
		case err == nil && !locked:
			err = errBusy
		case err == nil && q.is(f, name):
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
		// Someone who tidies up has removed the file in between.
	}
	return nil, fmt.Errorf("%s in %s changes all the time; who removes it?", name, q.dir)
}

// open opens a file for reading. It does not follow a link that leads out of the directory, nor wait for the other end of
// a pipe.
func (q *queue) open(name string) (*os.File, error) {
	f, err := q.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, fmt.Errorf("in the queue %s: %w", q.dir, err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, cmp.Or(err, fmt.Errorf("in the queue %s: %s is not a regular file; remove it", q.dir, name))
	}
	return f, nil
}

// create makes a file that all users can open for reading, which is enough to lock it.
func (q *queue) create(name string) (*os.File, error) {
	f, err := q.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("in the queue %s: %w", q.dir, err)
	}
	if err := f.Chmod(0o644); err != nil && removesOpenFiles { // whatever the umask
		f.Close()
		return nil, err
	}
	return f, nil
}

// is reports whether f is still the file of that name.
func (q *queue) is(f *os.File, name string) bool {
	mine, err1 := f.Stat()
	there, err2 := q.root.Lstat(name)
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}
