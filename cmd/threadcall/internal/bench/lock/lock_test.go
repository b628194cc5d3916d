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
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test binary is a contender if this is set: to the mode it wants.
const asContender = "THREADCALL_TEST_CONTENDER"

// A contender starts a child that lives longer if this is set.
const startsChild = "THREADCALL_TEST_STARTS_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(asContender); mode != "" {
		contend(mode)
		return
	}
	os.Exit(m.Run())
}

// contend takes the machine and says what happens, a word a line:
//
//	waits N    for N others
//	child PID  is what it has started, if asked to
//	has        the machine, until its standard input says something
//	left       the machine
func contend(mode string) {
	want := Exclusive
	if mode == Shared.String() {
		want = Shared
	}
	l, err := Acquire(context.Background(), want, strings.Join(os.Args[1:], " "), func(ahead []Entry) {
		fmt.Println("waits", len(ahead))
	})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	if os.Getenv(startsChild) != "" {
		child := exec.Command("sleep", "300")
		if err := child.Start(); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println("child", child.Process.Pid)
	}
	fmt.Println("has")
	bufio.NewReader(os.Stdin).ReadString('\n')
	l.Release()
	fmt.Println("left")
}

// A contender is a process that wants the machine.
type contender struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

func command(mode Mode, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asContender+"="+mode.String())
	return cmd
}

func start(t *testing.T, mode Mode, args ...string) *contender {
	t.Helper()
	return startCommand(t, command(mode, args...))
}

func startCommand(t *testing.T, cmd *exec.Cmd) *contender {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
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

// says fails the test unless the contender's next line is as wanted.
func (c *contender) says(want string) {
	c.t.Helper()
	select {
	case got := <-c.lines:
		if got != want {
			c.t.Fatalf("pid %d says %q, not %q", c.cmd.Process.Pid, got, want)
		}
	case <-time.After(time.Minute):
		c.t.Fatalf("pid %d never says %q", c.cmd.Process.Pid, want)
	}
}

// isSilent fails the test if the contender says something while a waiter would have looked several times.
func (c *contender) isSilent() {
	c.t.Helper()
	select {
	case got := <-c.lines:
		c.t.Fatalf("pid %d says %q", c.cmd.Process.Pid, got)
	case <-time.After(200 * time.Millisecond):
	}
}

func (c *contender) leave() {
	c.t.Helper()
	io.WriteString(c.in, "\n")
	c.says("left")
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

func TestFiveGoInOneAfterTheOtherAsTheyCame(t *testing.T) {
	newQueue(t)
	var all []*contender
	for i := range 5 {
		c := start(t, Exclusive)
		if i == 0 {
			c.says("has")
		} else {
			c.says(fmt.Sprint("waits ", i))
		}
		all = append(all, c)
	}
	for i, c := range all {
		for j, later := range all[i+1:] {
			if j == 0 {
				later.isSilent() // it would say that it has the machine
			}
		}
		c.leave()
		for j, later := range all[i+1:] {
			if j == 0 {
				later.says("has")
			} else {
				later.says(fmt.Sprint("waits ", j))
			}
		}
	}
}

func TestManyNeverOverlap(t *testing.T) {
	dir := newQueue(t)
	const processes, rounds = 5, 8
	var all []*exec.Cmd
	for range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelperTakesTurns$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", turns, rounds, filepath.Join(filepath.Dir(dir), "inside")))
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// turns makes TestHelperTakesTurns do something.
const turns = "THREADCALL_TEST_TURNS"

func TestHelperTakesTurns(t *testing.T) {
	first, inside, _ := strings.Cut(os.Getenv(turns), " ")
	rounds, err := strconv.Atoi(first)
	if err != nil {
		t.Skip("for TestManyNeverOverlap")
	}
	for range rounds {
		l, err := Acquire(t.Context(), Exclusive, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(inside, os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			t.Fatal("two at the same time:", err)
		}
		f.Close()
		time.Sleep(5 * time.Millisecond)
		os.Remove(inside)
		l.Release()
	}
}

func TestSharedOnesHaveItTogether(t *testing.T) {
	newQueue(t)
	a, b := start(t, Shared), start(t, Shared)
	a.says("has")
	b.says("has")
	c := start(t, Exclusive)
	c.says("waits 2")
	a.leave()
	c.says("waits 1")
	c.isSilent()
	b.leave()
	c.says("has")
}

func TestSharedOneWaitsBehindAWaitingExclusiveOne(t *testing.T) {
	newQueue(t)
	a := start(t, Shared)
	a.says("has")
	b := start(t, Exclusive)
	b.says("waits 1")
	c := start(t, Shared)
	c.says("waits 1")
	c.isSilent()
	a.leave()
	b.says("has")
	c.isSilent()
	b.leave()
	c.says("has")
}

func TestKilledHolderLetsTheNextIn(t *testing.T) {
	newQueue(t)
	a := start(t, Exclusive)
	a.says("has")
	b := start(t, Exclusive)
	b.says("waits 1")
	a.kill()
	b.says("has")
}

func TestKilledWaiterDoesNotBlockTheQueue(t *testing.T) {
	newQueue(t)
	a := start(t, Exclusive)
	a.says("has")
	b := start(t, Exclusive)
	b.says("waits 1")
	c := start(t, Exclusive)
	c.says("waits 2")
	b.kill()
	c.says("waits 1")
	c.isSilent()
	a.leave()
	c.says("has")
}

func TestListShowsWhoHasItAndWhoWaits(t *testing.T) {
	dir := newQueue(t)
	if all, err := List(); len(all) != 0 || err != nil {
		t.Errorf("%v, %v before there is a queue", all, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("List has made the queue")
	}
	before := time.Now()
	a := start(t, Exclusive, "bench", "./...")
	a.says("has")
	b := start(t, Shared, "bad\x1b[31m\nname")
	b.says("waits 1")
	all, err := List()
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Entry{
		{PID: a.cmd.Process.Pid, Mode: Exclusive, Command: "bench ./...", Dir: cwd},
		{PID: b.cmd.Process.Pid, Mode: Shared, Command: "bad?[31m?name", Dir: cwd},
	} {
		got := all[i]
		if got.PID != want.PID || got.Mode != want.Mode || got.Command != want.Command || got.Dir != want.Dir {
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

func TestListRemovesWhatTheKilledHaveLeft(t *testing.T) {
	dir := newQueue(t)
	for _, mode := range []Mode{Exclusive, Shared} {
		c := start(t, mode)
		c.says("has")
		c.kill()
	}
	if n := len(ticketsIn(t, dir)); n == 0 {
		t.Fatal("nothing left, so there is nothing to test")
	}
	if all, err := List(); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if left := ticketsIn(t, dir); len(left) != 0 {
		t.Error(left)
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

func TestNothingIsLeftAfterRelease(t *testing.T) {
	dir := newQueue(t)
	l, err := Acquire(t.Context(), Exclusive, "", nil)
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
	a := start(t, Exclusive)
	a.says("has")
	ctx, cancel := context.WithCancel(t.Context())
	told := 0
	_, err := Acquire(ctx, Exclusive, "", func(ahead []Entry) {
		told++
		if len(ahead) != 1 || ahead[0].PID != a.cmd.Process.Pid {
			t.Error(ahead)
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	if n := len(ticketsIn(t, dir)); n != 1 {
		t.Errorf("%d tickets", n)
	}
}

func TestOneThatTheHolderStartsIsToldInsteadOfWaitingForEver(t *testing.T) {
	newQueue(t)
	l, err := Acquire(t.Context(), Exclusive, "outer", nil)
	if err != nil {
		t.Fatal(err)
	}
	inner := start(t, Exclusive)
	if got := <-inner.lines; !strings.Contains(got, "would wait for it for ever") || !strings.Contains(got, "outer") {
		t.Error(got)
	}
	l.Release()
	after := start(t, Exclusive)
	after.says("has")
}

func TestTicketNames(t *testing.T) {
	for name, want := range map[string]ticketName{
		"ticket-1-exclusive":                    {"ticket-1-exclusive", 1, Exclusive},
		"ticket-20-shared":                      {"ticket-20-shared", 20, Shared},
		"ticket-1":                              {},
		"ticket-1-both":                         {},
		"ticket--1-shared":                      {},
		"ticket-1-shared-2":                     {},
		"ticket-x-shared":                       {},
		"ticket-9e15-shared":                    {},
		"gate":                                  {},
		"1-shared":                              {},
		"ticket-18446744073709551615-exclusive": {},
	} {
		got, ok := parseTicketName(name)
		if ok != (want.name != "") || ok && got != want {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
	}
}
