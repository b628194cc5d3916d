package lock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "contend" {
		contend()
		return
	}
	os.Exit(m.Run())
}

// contend is a process that needs the lock and prints what happens, a word a line:
//
//	waits N    for N others
//	child <nil> PID  is what it has started, if asked to
//	holds      the machine, until its standard input says something
//	left       the machine
func contend() {
	l, err := Acquire(context.Background(), strings.Join(os.Args[1:], " "), func(ahead []Entry) { fmt.Println("waits", len(ahead)) })
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	if os.Args[len(os.Args)-1] == "child" {
		child := exec.Command("sleep", "300")
		fmt.Println("child", child.Start(), child.Process.Pid)
	}
	fmt.Println("holds")
	bufio.NewReader(os.Stdin).ReadString('\n')
	l.Release()
	fmt.Println("left")
}

// A contender is a process that contends.
type contender struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

func start(t *testing.T, args ...string) *contender {
	t.Helper()
	return startCommand(t, exec.Command(os.Args[0], append([]string{"contend"}, args...)...))
}

func startCommand(t *testing.T, cmd *exec.Cmd) *contender {
	t.Helper()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	c := &contender{t, cmd, in, make(chan string, 100)}
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	t.Cleanup(c.kill)
	return c
}

// prints fails the test unless the contender's next line is as wanted.
func (c *contender) prints(want string) {
	c.t.Helper()
	select {
	case got := <-c.lines:
		if got != want {
			c.t.Fatalf("pid %d prints %q, not %q", c.cmd.Process.Pid, got, want)
		}
	case <-time.After(time.Minute):
		c.t.Fatalf("pid %d never prints %q", c.cmd.Process.Pid, want)
	}
}

// isSilent fails the test if the contender prints something while a waiter would have examined the queue several times.
func (c *contender) isSilent() {
	c.t.Helper()
	select {
	case got := <-c.lines:
		c.t.Fatalf("pid %d prints %q", c.cmd.Process.Pid, got)
	case <-time.After(200 * time.Millisecond):
	}
}

func (c *contender) leave() {
	c.t.Helper()
	io.WriteString(c.in, "\n")
	c.prints("left")
}

func (c *contender) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

func newQueue(t *testing.T) (dir string) {
	if _, err := openQueue(false); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	dir = filepath.Join(t.TempDir(), "queue")
	t.Setenv(DirVariable, dir)
	return dir
}

func TestFiveHoldTheLockInTheOrderInWhichTheyCame(t *testing.T) {
	newQueue(t)
	var all []*contender
	for i := range 5 {
		c := start(t)
		if i == 0 {
			c.prints("holds")
		} else {
			c.prints(fmt.Sprint("waits ", i))
		}
		all = append(all, c)
	}
	for i, c := range all {
		if i+1 < len(all) {
			all[i+1].isSilent() // it would print that it holds the lock
		}
		c.leave()
		for j, later := range all[i+1:] {
			if j == 0 {
				later.prints("holds")
			} else {
				later.prints(fmt.Sprint("waits ", j))
			}
		}
	}
}

func TestManyNeverOverlap(t *testing.T) {
	newQueue(t)
	inside := filepath.Join(t.TempDir(), "inside")
	errs := make(chan error)
	for range 5 {
		go func() {
			errs <- func() error {
				for range 8 {
					l, err := Acquire(t.Context(), "", func([]Entry) {})
					if err != nil {
						return err
					}
					f, err := os.OpenFile(inside, os.O_CREATE|os.O_EXCL, 0o666)
					if err != nil {
						return fmt.Errorf("two at the same time: %w", err)
					}
					f.Close()
					time.Sleep(5 * time.Millisecond)
					os.Remove(inside)
					l.Release()
				}
				return nil
			}()
		}()
	}
	for range 5 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestAKilledProcessCountsForNothing(t *testing.T) {
	newQueue(t)
	a := start(t)
	a.prints("holds")
	b := start(t)
	b.prints("waits 1")
	c := start(t)
	c.prints("waits 2")
	b.kill()
	c.prints("waits 1")
	c.isSilent()
	a.kill()
	c.prints("holds")
}

func TestListIsTheHolderAndTheWaiters(t *testing.T) {
	dir := newQueue(t)
	if all, err := List(); len(all) != 0 || err != nil {
		t.Errorf("%v, %v before there is a queue", all, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("List has made the queue")
	}
	killed := start(t)
	killed.prints("holds")
	killed.kill()
	before := time.Now()
	a := start(t, "./...")
	a.prints("holds")
	b := start(t, "bad\x1b[31m\nname")
	b.prints("waits 1")
	all, err := List()
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Entry{
		{PID: a.cmd.Process.Pid, Command: "contend ./...", Dir: cwd},
		{PID: b.cmd.Process.Pid, Command: "contend bad?[31m?name", Dir: cwd},
	} {
		got := all[i]
		if got.PID != want.PID || got.Command != want.Command || got.Dir != want.Dir {
			t.Errorf("%+v, want %+v", got, want)
		}
		if got.Waits() != (i == 1) || got.Queued.Before(before) || got.Queued.After(time.Now()) || got.User == "unknown" {
			t.Errorf("%+v", got)
		}
	}
	if s := all[1].String(); !strings.Contains(s, "waiting since") || !strings.Contains(s, fmt.Sprint("pid ", all[1].PID)) {
		t.Error(s)
	}
}

func ticketsIn(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "ticket-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestReleaseLeavesNothing(t *testing.T) {
	dir := newQueue(t)
	killed := start(t)
	killed.prints("holds")
	killed.kill()
	l, err := Acquire(t.Context(), "", func([]Entry) {})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(ticketsIn(t, dir)); n != 1 {
		t.Errorf("%d tickets", n)
	}
	l.Release()
	l.Release()
	if left := ticketsIn(t, dir); len(left) != 0 {
		t.Error(left)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	dir := newQueue(t)
	a := start(t)
	a.prints("holds")
	ctx, cancel := context.WithCancel(t.Context())
	reports := 0
	_, err := Acquire(ctx, "", func(ahead []Entry) {
		reports++
		if len(ahead) != 1 || ahead[0].PID != a.cmd.Process.Pid {
			t.Error(ahead)
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) || reports != 1 {
		t.Errorf("%v, reported %d times", err, reports)
	}
	if n := len(ticketsIn(t, dir)); n != 1 {
		t.Errorf("%d tickets", n)
	}
}
