package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil/xvfb"
)

// The tests run the program, which is the test binary when this is set.
const program = "THREADCALL_EXAMPLE"

func TestMain(m *testing.M) {
	if os.Getenv(program) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestCallsArrive(t *testing.T) {
	screen := xvfb.Start(t)
	home := t.TempDir() // where Fyne reads and writes preferences
	cmd := exec.Command(os.Args[0], "-run-for", "3s")
	cmd.Env = append(os.Environ(), program+"=1", "HOME="+home, "XDG_CONFIG_HOME="+home)
	var said, complained strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &complained
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	screen.Await(t, 420, 200, 50)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}

	t.Log(said.String(), complained.String())
	if strings.Contains(complained.String(), "Error in Fyne call thread") {
		t.Error("Fyne has seen a widget touched off the main goroutine")
	}
	var calls, there int
	if _, err := fmt.Sscanf(said.String(), "fyne: %d calls, %d of them on the main thread", &calls, &there); err != nil {
		t.Fatal(err)
	}
	if calls < 10 || there != calls {
		t.Errorf("%d calls, %d of them on the main thread; want 10 at least, and all", calls, there)
	}
}
