package lock

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A queue is an open directory of tickets.
type queue struct {
	dir  string
	root *os.Root // what is opened by it stays in the directory, whatever links are there
}

// openQueue opens the directory of the queue, and makes it if asked to. Without it the queue is nil.
func openQueue(make bool) (*queue, error) {
	if dir := os.Getenv(DirVariable); dir != "" {
		return openDir(dir, true, make)
	}
	dir, err := commonDir()
	if err != nil {
		return nil, err
	}
	return openDir(dir, false, make)
}

// openDir takes a user's own directory as it is. That of all users must be one in which all may make files and remove only
// their own. The user who was first owns it and could remove the files of others, which changes only the order.
func openDir(dir string, own, make bool) (*queue, error) {
	var err error
	if make {
		if err = os.Mkdir(dir, 0o777); err == nil {
			err = os.Chmod(dir, 0o777|fs.ModeSticky) // whatever the umask
		}
	}
	var root *os.Root
	if err == nil || errors.Is(err, fs.ErrExist) {
		root, err = os.OpenRoot(dir)
	}
	if err == nil && !own {
		if err = trusted(dir, root); err != nil {
			root.Close()
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && !make:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("opening the queue of benchmarks: %w; %s can name another directory", err, DirVariable)
	}
	return &queue{dir, root}, nil
}

// A ticket is a place in the queue, held as long as its file is locked.
type ticket struct {
	number uint64
	file   *os.File
}

// maxNumber is more than are ever used.
const maxNumber = 1e15

func ticketName(number uint64) string { return fmt.Sprintf("ticket-%d", number) }

var errBusy = errors.New("locked by another process")

// enqueue makes a ticket at the end. Tickets are made and locked by the process that has the file gate locked, so any other
// that finds one unlocked below its own number knows that its process has ended.
func (q *queue) enqueue(ctx context.Context, command string) (*ticket, error) {
	gate, err := q.lockGate(ctx)
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	numbers, err := q.tickets()
	if err != nil {
		return nil, err
	}
	last := uint64(0)
	for _, n := range numbers {
		last = n
		if live, err := q.isLive(n); err == nil && !live {
			q.remove(ticketName(n)) // fails if it is another user's
		}
	}
	t := &ticket{number: last + 1}
	if t.file, err = q.create(ticketName(t.number)); err != nil {
		return nil, err
	}
	for range 1000 { // List may examine the file at this moment
		locked, err := tryLock(t.file, true)
		switch {
		case err != nil:
			q.leave(t)
			return nil, err
		case locked:
			dir, _ := os.Getwd()
			t.write(Entry{PID: os.Getpid(), User: userName(), Queued: time.Now(), Command: command, Dir: dir})
			return t, nil
		}
		time.Sleep(time.Millisecond)
	}
	t.file.Close()
	return nil, fmt.Errorf("in the queue %s: another process keeps %s locked", q.dir, ticketName(t.number))
}

// lockGate waits for the gate, which is locked for no longer than a few file operations take.
func (q *queue) lockGate(ctx context.Context) (*os.File, error) {
	for begin := time.Now(); ; {
		gate, err := q.lockFile("gate")
		if !errors.Is(err, errBusy) {
			return gate, err
		}
		if time.Since(begin) > 10*time.Second {
			return nil, fmt.Errorf("the queue in %s is stuck: a process, perhaps a stopped one, keeps its gate locked; end it, or "+
				"remove the directory", q.dir)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("gave up waiting for the lock: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// leave removes t. The ticket is removed before it is unlocked, or its number could be given to another one in between.
func (q *queue) leave(t *ticket) {
	if removesOpenFiles {
		q.remove(ticketName(t.number))
	}
	t.file.Close()
	if !removesOpenFiles {
		q.remove(ticketName(t.number)) // fails if another has it now, because that has opened it
	}
}

// live returns the processes whose live tickets are below the number.
func (q *queue) live(below uint64) (entries []Entry, err error) {
	numbers, err := q.tickets()
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		if n >= below {
			break
		}
		live, err := q.isLive(n)
		if err != nil {
			return nil, err
		}
		if live {
			entries = append(entries, q.read(n))
		}
	}
	return entries, nil
}

// tickets returns the numbers of those that are present, live or not, in ascending order.
func (q *queue) tickets() (numbers []uint64, err error) {
	d, err := q.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		digits, ok := strings.CutPrefix(name, "ticket-")
		if n, err := strconv.ParseUint(digits, 10, 64); ok && err == nil && n < maxNumber && ticketName(n) == name {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// isLive reports whether the process that made the ticket has it locked. What is no file, or one that this user may not
// open, was not made by a benchmark.
func (q *queue) isLive(number uint64) (bool, error) {
	name := ticketName(number)
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
	locked, err := tryLock(f, false) // not exclusive: others may examine it at the same time
	return !locked, err
}

// lockFile locks the file of that name, making it if need be, or returns errBusy.
func (q *queue) lockFile(name string) (*os.File, error) {
	f, err := q.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = q.create(name); errors.Is(err, fs.ErrExist) {
			f, err = q.open(name)
		}
	}
	if err != nil {
		return nil, err
	}
	locked, err := tryLock(f, true)
	if err == nil && !locked {
		err = errBusy
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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

// write adds a line to the ticket, for those who list the queue. It may fail on a full disk; the ticket holds without it.
func (t *ticket) write(e Entry) {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // not with these types
	}
	t.file.Write(append(b, '\n'))
}

// read returns the content of a ticket. The text is other people's: what is not printable is replaced, and the user is the owner
// of the file where the system reports it.
func (q *queue) read(number uint64) (e Entry) {
	f, err := q.open(ticketName(number))
	if err != nil {
		return Entry{User: "unknown", Command: "unknown", Dir: "unknown"}
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 1<<18))
	lines.Buffer(nil, 1<<18)
	for lines.Scan() {
		var line Entry
		if json.Unmarshal(lines.Bytes(), &line) != nil { // it is half written yet
			continue
		}
		if e.Held = line.Held; line.PID != 0 {
			e = line
		}
	}
	if info, err := f.Stat(); err == nil {
		e.User = cmp.Or(owner(info), e.User)
	}
	for _, text := range []*string{&e.User, &e.Command, &e.Dir} {
		*text = cmp.Or(printable(*text), "unknown")
	}
	return e
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
