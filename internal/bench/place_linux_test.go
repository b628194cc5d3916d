package bench

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/internal/testutil"
)

const toBePlaced = "THREADCALL_TEST_PLACED"

// A process that is to be placed says how many cores a thread may use, a thread that Hold holds,
// and both together, and then the same after release.
func init() {
	if os.Getenv(toBePlaced) == "" {
		return
	}
	if _, err := Place(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range calls {
			f()
		}
	}()
	both := func() {
		var its, all park.CoreSet
		done := make(chan bool)
		calls <- func() { its.Get(); close(done) }
		<-done
		all.Get()
		mine := all.Count()
		for i := range all {
			all[i] |= its[i]
		}
		fmt.Print(mine, its.Count(), all.Count(), " ")
	}
	release := Hold(posted(calls), 1)
	both()
	release()
	both()
	os.Exit(0)
}

type posted chan func()

func (p posted) Call(func()) bool { panic("not used") }
func (p posted) Go(f func()) bool { p <- f; return true }

func TestPlace(t *testing.T) {
	if allowed.Count() < 2 {
		t.Skip("there is one core")
	}
	for how, want := range map[string]string{"one": "1 1 1 1 1 1", "two": "1 1 2 1 1 1",
		"three": "it must be one or two"} {
		out, _, err := testutil.Run(testutil.TimeLimit(), toBePlaced+"=1", placement+"="+how)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %q, %v, want %q", how, out, err, want)
		}
	}
}
