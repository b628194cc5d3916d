//go:build unix

package gotest

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// gone waits until no process has the id, or only one that its parent has not waited for.
func gone(t *testing.T, child string) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(child))
	if err != nil {
		t.Fatal(err)
	}
	for !errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		if state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil &&
			strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// shell returns a shell that runs the script.
func shell(ctx context.Context, t *testing.T, script string) *exec.Cmd {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	return exec.CommandContext(ctx, sh, "-c", script)
}

func TestRun_group(t *testing.T) {
	for _, c := range []struct {
		script    string
		interrupt bool
	}{
		{"sleep 1000 & echo $!; wait", true},
		{"trap '' INT; sleep 1000 & echo $!; wait; wait", true}, // both ignore it
		{"sleep 1000 >/dev/null 2>&1 & echo $!", false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cmd := shell(ctx, t, c.script)
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		cmd.Stdout = writer
		ended := make(chan error, 1)
		go func() { ended <- Run(cmd) }()
		child, err := bufio.NewReader(reader).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if c.interrupt {
			cancel()
		}
		if err := <-ended; (err != nil) != c.interrupt {
			t.Errorf("%s: %v", c.script, err)
		}
		gone(t, child)
		writer.Close()
	}
}

func TestBinary_Run(t *testing.T) {
	for script, c := range map[string]struct {
		timeout time.Duration
		want    string
	}{
		"sleep 100":           {time.Millisecond, "it took longer than -timeout 1ms"},
		"sleep 100 & echo $!": {0, "outlived it"},
	} {
		b := &Binary{Path: shell(t.Context(), t, "").Path}
		r, err := b.Run(t.Context(), c.timeout, "-c", script)
		if err != nil || !strings.Contains(r.Problem, c.want) || r.TooLong != (c.timeout > 0) {
			t.Errorf("%+v, %v", r, err)
		} else if !r.TooLong {
			gone(t, r.Stdout)
		}
	}
}
