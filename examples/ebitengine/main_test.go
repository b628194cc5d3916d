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

func TestCallsArriveInEachMode(t *testing.T) {
	for _, mode := range []string{"threads", "single", "on-demand"} {
		t.Run(mode, func(t *testing.T) {
			screen := xvfb.Start(t)
			cmd := exec.Command(os.Args[0], "-mode", mode, "-run-for", "3s")
			cmd.Env = append(os.Environ(), program+"=1")
			var said strings.Builder
			cmd.Stdout, cmd.Stderr = &said, t.Output()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			screen.Await(t, width, height, 5)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}

			t.Log(said.String())
			var calls, there int
			form := "ebitengine, " + mode + ": %d calls, %d of them on the main thread"
			if _, err := fmt.Sscanf(said.String(), form, &calls, &there); err != nil {
				t.Fatal(err)
			}
			if calls < 10 || there != calls {
				t.Errorf("%d calls, %d of them on the main thread; want 10 at least, and all", calls, there)
			}
		})
	}
}
