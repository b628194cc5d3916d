package lock

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A ticket is a place in the queue, had as long as its file is locked.
type ticket struct {
	ticketName
	id   string // of this ticket alone, though its number may be used again
	file *os.File
}

// A ticketName is all that others need to know of a ticket to wait for it: ticket-NUMBER-MODE.
type ticketName struct {
	name   string
	number uint64
	mode   Mode
}

// maxNumber is more than will ever be used. A ticket with a larger number was put there by someone else.
const maxNumber = 1e15

func parseTicketName(name string) (t ticketName, ok bool) {
	rest, ok := strings.CutPrefix(name, "ticket-")
	number, mode, ok2 := strings.Cut(rest, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	t = ticketName{name, n, Exclusive}
	if mode == Shared.String() {
		t.mode = Shared
	}
	return t, ok && ok2 && err == nil && n <= maxNumber && mode == t.mode.String()
}

// makeTicket makes and locks a ticket. The caller has the gate.
func (q *queue) makeTicket(number uint64, mode Mode, command string) (*ticket, error) {
	name := fmt.Sprintf("ticket-%d-%v", number, mode)
	f, err := q.create(name)
	if err != nil {
		return nil, err
	}
	for range 1000 { // someone who lists the queue may look at the file at this moment
		locked, err := tryLock(f, true)
		if err != nil {
			f.Close()
			q.remove(name)
			return nil, err
		}
		if locked {
			dir, _ := os.Getwd()
			n := note{os.Getpid(), userName(), time.Now(), time.Time{}, command, dir}
			t := &ticket{ticketName{name, number, mode}, id(name, n), f}
			t.note(n)
			return t, nil
		}
		time.Sleep(time.Millisecond)
	}
	f.Close()
	return nil, fmt.Errorf("in the queue %s: someone keeps %s locked", q.dir, name)
}

func id(name string, n note) string { return fmt.Sprint(name, "@", n.Queued.UnixNano(), ",", n.PID) }

// note tells those who look. It may fail on a full disk; the ticket holds without it.
func (t *ticket) note(n note) { t.file.Write(n.line()) }

// read tells what a ticket says of its process, and the ticket's id. The text is other people's: what is not printable is
// replaced, and the user is the owner of the file where the system tells it.
func (q *queue) read(t ticketName) (Entry, string) {
	e := Entry{User: "unknown", Command: "unknown", Dir: "unknown", Mode: t.mode}
	f, err := q.open(t.name)
	if err != nil {
		return e, ""
	}
	defer f.Close()
	var all note
	lines := bufio.NewScanner(io.LimitReader(f, 1<<18))
	lines.Buffer(nil, 1<<18)
	for lines.Scan() {
		json.Unmarshal(lines.Bytes(), &all) // a line adds to those before it; one that is half written adds nothing yet
	}
	set := func(field *string, text string) {
		if text != "" {
			*field = printable(text)
		}
	}
	set(&e.User, all.User)
	set(&e.Command, all.Command)
	set(&e.Dir, all.Dir)
	if info, err := f.Stat(); err == nil {
		set(&e.User, owner(info))
	}
	e.PID, e.Queued, e.Held = all.PID, all.Queued, all.Held
	return e, id(t.name, all)
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
