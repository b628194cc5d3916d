package thread_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// A Go program cannot go on when the system refuses it a thread: the runtime ends it, and says why. What can be asked
// for is that it does not hang instead, and does not tell a caller that its function ran.

func init() { programs["more threads than are allowed"] = moreThreadsThanAreAllowed }

const allowed = 12

func moreThreadsThanAreAllowed() {
	debug.SetMaxThreads(allowed)
	makeThreads()
}

func makeThreads() {
	for n := range 2 * allowed {
		ran := false
		if ok := thread.New().Call(func() { ran = true }); ok != ran { // never terminated
			fmt.Println("the call says", ok, "and the function has run:", ran)
			os.Exit(1)
		}
		fmt.Println("made", n)
	}
}

func TestRefused_limit(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("there are no threads")
	}
	output, status := testutil.Program(t, "more threads than are allowed")
	if status != 2 || !strings.Contains(output, "made 1\n") || !strings.Contains(output, "thread exhaustion") {
		t.Errorf("status %d:\n%s", status, output)
	}
}
