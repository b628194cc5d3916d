//go:build go1.25

package mainthread_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

const inABubble = "a call in a bubble waits for the main thread"

func init() {
	testPrograms[inABubble] = testProgram{
		func(m *testing.M) { reports(); m.Run() }, // without Init
		func(t *testing.T) { synctest.Test(t, func(*testing.T) { mainthread.Call(nop) }) },
	}
}

// While the call waits, the clock of the bubble stands still.
func TestCall_reportsAThreadThatNothingServes_inABubble(t *testing.T) {
	t.Parallel() // it waits: see TestMain
	const want = "/bubble_test.go:"
	if out, status := testutil.Program(t, inABubble); status != 0 ||
		!strings.Contains(out, "has waited for 5s for the main thread") || !strings.Contains(out, want) {
		t.Errorf("status %d, output\n%s", status, out)
	}
}
