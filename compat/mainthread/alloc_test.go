package mainthread

import (
	"errors"
	"os"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

func TestMain(m *testing.M) { Run(func() { os.Exit(m.Run()) }) }

// A call allocates no more than in gopxl/mainthread v2.1.1, which takes 1 for each of these and 2
// for CallVal of a type that is not a pointer, or in faiface/mainthread, which takes 2 for each.
func TestCalls_allocateNoMoreThanTheOriginals(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector has sync.Pool lose records")
	}
	err := errors.New("err")
	fail := func() error { return err }
	var gotErr error
	var got [8]int
	for name, f := range map[string]func(){
		"Call":         func() { Call(nop) },
		"CallNonBlock": func() { CallNonBlock(nop); Call(nop) },
		"CallErr":      func() { gotErr = CallErr(fail) },
		"CallVal":      func() { got = CallVal(func() [8]int { return [8]int{7: 42} }) },
		"CallVal, nested": func() {
			got[7] = CallVal(func() int { return CallVal(func() int { return 42 }) })
		},
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if gotErr != err || got[7] != 42 {
		t.Errorf("the results are %v and %v", gotErr, got)
	}
}

func nop() {}

func TestCalls_ofNil(t *testing.T) {
	for name, f := range map[string]func(){
		"Call":    func() { Call(nil) },
		"CallErr": func() { _ = CallErr(nil) },
		"CallVal": func() { CallVal[int](nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of nil does not panic", name)
				}
			}()
			f()
		}()
	}
}
