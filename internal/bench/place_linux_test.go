package bench

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/internal/testutil"
)

// on returns the cores that the calling thread may use.
func on() *park.CoreSet {
	c := new(park.CoreSet)
	c.Get()
	return c
}

// A process that is placed, by TestMain, holds a thread, and then releases it.
func TestHold(t *testing.T) {
	how := os.Getenv(placement)
	if how == anywhere {
		t.Skip("TestPlace runs this in a process that is placed")
	}
	d := Struct()
	defer OnThread(d)()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, held := range []bool{true, false} {
		release := nop
		if held {
			release = Hold(d, 1)
		}
		var its *park.CoreSet
		d.Call(func() { its = on() })
		if mine := on(); mine.Count() != 1 || its.Count() != 1 ||
			(*mine == *its) == (held && how == two) {
			t.Errorf("held %v: this thread on %v, the other on %v", held, mine, its)
		}
		release()
	}
}

func TestPlace(t *testing.T) {
	if on().Count() < 2 {
		t.Skip("there is one core")
	}
	for how, want := range map[string]string{one: "--- PASS: TestHold", two: "--- PASS: TestHold",
		"three": "it must be one or two"} {
		c, err := testutil.Command()
		if err != nil {
			t.Skip(err)
		}
		c.Args = append(c.Args, "-test.v", "-test.run=^TestHold$")
		c.Env = append(os.Environ(), placement+"="+how)
		if out, _ := c.CombinedOutput(); !strings.Contains(string(out), want) {
			t.Errorf("%s: %q, want %q", how, out, want)
		}
	}
}
