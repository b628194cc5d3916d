//go:build unix

package program

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
)

// TestMain makes this program the one that tests start: its arguments are how much CPU time it uses and how much memory.
func TestMain(m *testing.M) {
	if os.Getenv("PROGRAM_TEST") == "" {
		os.Exit(m.Run())
	}
	if os.Args[1] == "start" { // another one that does it
		cmd := exec.Command(os.Args[0], os.Args[2:]...)
		if err := cmd.Run(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	use, _ := time.ParseDuration(os.Args[1])
	megabytes, _ := strconv.Atoi(os.Args[2])
	kept = make([]byte, megabytes<<20)
	for i := range kept {
		kept[i] = byte(i)
	}
	for used() < use {
	}
}

var kept []byte

func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func runner(t *testing.T) *Runner {
	t.Helper()
	t.Setenv("PROGRAM_TEST", "1")
	r, err := NewRunner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func one(t *testing.T, text string) Command {
	t.Helper()
	all, err := New([]string{text})
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func TestTheUseOfACommandIsThatOfItsProcesses(t *testing.T) {
	r := runner(t)
	const used, megabytes = 100 * time.Millisecond, 200
	for _, text := range []string{
		os.Args[0] + " 100ms 200", os.Args[0] + " start 100ms 200", os.Args[0] + " 100ms 200 >/dev/null", os.Args[0] + " 1ms 200 && " + os.Args[0] + " 99ms 10",
	} {
		u, err := r.Run(t.Context(), one(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if cpu := u.User + u.System; cpu < used || u.Wall <= 0 {
			t.Errorf("%s: %v of CPU time, %v", text, cpu, u.Wall)
		}
		if u.Peak < megabytes<<20 || u.Peak > 2*megabytes<<20 && !testutil.Race { // whose memory comes on top
			t.Errorf("%s: %d bytes", text, u.Peak)
		}
	}
}

func TestAPeakBelowThatOfThisProcessIsNotKnown(t *testing.T) {
	r := runner(t)
	u, err := r.Run(t.Context(), one(t, "true"))
	if err != nil || u.Peak > 4<<20 { // where a process begins with a count of its own, it is small
		t.Errorf("%d bytes, at least %d, %v", u.Peak, u.Least, err)
	}
}

func TestACommandThatFailsIsAnErrorWithItsOutput(t *testing.T) {
	r := runner(t)
	failing := one(t, "echo first >&2; echo why >&2; exit 3")
	if _, err := r.Run(t.Context(), failing); err == nil || !strings.Contains(err.Error(), "exit status 3\nfirst\nwhy") {
		t.Error(err)
	}
	if _, err := r.Run(t.Context(), one(t, "false")); err == nil || strings.Contains(err.Error(), "why") || !strings.Contains(err.Error(), "wrote nothing") {
		t.Error(err)
	}
}

func TestACommandEndsWithTheTimeoutAndWithTheContext(t *testing.T) {
	r := runner(t)
	r.Timeout = time.Millisecond
	if _, err := r.Run(t.Context(), one(t, "sleep 1000")); err == nil || !strings.Contains(err.Error(), "-timeout 1ms") {
		t.Error(err)
	}
	r.Timeout = 0
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	time.AfterFunc(time.Millisecond, func() { cancel(stop) })
	if _, err := r.Run(ctx, one(t, "sleep 1000")); !errors.Is(err, stop) {
		t.Error(err)
	}
}

func TestCommandsHaveAShellIfOneOfThemNeedsIt(t *testing.T) {
	for _, c := range []struct {
		text string
		args []string
	}{
		{"ls -l", []string{"ls", "-l"}},
		{`ls 'a b' "c d" e\ f ""`, []string{"ls", "a b", "c d", "e f", ""}},
		{`ls "a\"\$b" 'it'"'"s`, []string{"ls", `a"$b`, "it's"}},
		{"ls --colour=no a=b x#y x~", []string{"ls", "--colour=no", "a=b", "x#y", "x~"}},
		{"ls | wc", []string{"sh", "-c", "ls | wc"}},
		{"ls >/dev/null", []string{"sh", "-c", "ls >/dev/null"}},
		{"ls $HOME", []string{"sh", "-c", "ls $HOME"}},
		{`ls "$HOME"`, []string{"sh", "-c", `ls "$HOME"`}},
		{"ls ~", []string{"sh", "-c", "ls ~"}},
		{"ls *.go", []string{"sh", "-c", "ls *.go"}},
		{"X=1 ls", []string{"sh", "-c", "X=1 ls"}},
		{"exit", []string{"sh", "-c", "exit"}},
	} {
		all, err := New([]string{"true", c.text})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if !slices.Equal(all[1].args, c.args) {
			t.Errorf("%s: %q, want %q", c.text, all[1].args, c.args)
		}
		if all[0].InShell != all[1].InShell || all[1].InShell != (all[1].args[len(all[1].args)-2] == "-c") {
			t.Errorf("%s: in a shell %v, and the other %v", c.text, all[1].InShell, all[0].InShell)
		}
	}
}

func TestCommandsHaveNamesThatDiffer(t *testing.T) {
	for _, c := range []struct{ texts, want []string }{
		{[]string{"./old -x", "../new"}, []string{"old", "new"}},
		{[]string{"sh -c 1", "sh -c 2"}, []string{"1", "2"}},
		{[]string{"'my old'", "./new | wc"}, []string{"my-old", "new"}},
	} {
		if got := naming(c.texts); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}

func TestWhatCannotBeACommandIsAnError(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"./old", "-x"}, "whole command"},
		{[]string{"true", " "}, "empty"},
		{[]string{"./no/such"}, "no such file"},
	} {
		if _, err := New(c.texts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.texts, err)
		}
	}
}
