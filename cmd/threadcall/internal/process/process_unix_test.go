//go:build unix

package process

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// start starts a shell that starts another process, and returns the id of that one.
func start(t *testing.T, ctx context.Context, script string) (wait func() error, child int) {
	t.Helper()
	cmd := Command(ctx, "sh", "-c", script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if child, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	return func() error {
		err := cmd.Wait()
		End(cmd)
		return err
	}, child
}

// gone waits until no process has the id, or only one that nobody has waited for.
func gone(child int) {
	for Alive(child) {
		state, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
		if err == nil && strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestTheEndOfTheContextEndsWhatTheCommandHasStarted(t *testing.T) {
	for _, script := range []string{
		"sleep 1000 & echo $!; wait",
		"trap '' TERM; sleep 1000 & echo $!; wait", // both do not listen
	} {
		ctx, cancel := context.WithCancel(t.Context())
		wait, child := start(t, ctx, script)
		cancel()
		if err := wait(); err == nil {
			t.Errorf("%s: it has ended well", script)
		}
		gone(child)
	}
}

func TestWhatOutlivesTheCommandEndsWithIt(t *testing.T) {
	wait, child := start(t, t.Context(), "sleep 1000 >/dev/null 2>&1 & echo $!")
	if err := wait(); err != nil {
		t.Error(err)
	}
	gone(child)
}

func TestThisProcessIsAlive(t *testing.T) {
	if !Alive(os.Getpid()) {
		t.Error("it is not")
	}
}
