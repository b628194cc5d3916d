package thread

import (
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

// A call allocates nothing. In golang.design/x/thread v0.3.2 Eval takes 2, a Call of a Pool 2.
func TestCalls_doNotAllocate(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector has sync.Pool lose records")
	}
	th, p := New(), NewPool(2)
	defer th.Terminate()
	defer p.Terminate()
	nop, answer, tls := func() {}, func() int { return 42 }, func() any { return th.GetTLS() }
	n := 0
	for name, f := range map[string]func(){
		"Call":      func() { th.Call(nop) },
		"Go":        func() { th.Go(nop); th.Call(nop) },
		"Eval":      func() { n = Eval(th, answer) },
		"TLS":       func() { th.SetTLS(th); Eval(th, tls) },
		"Pool.Call": func() { p.Call(nop) },
		"Pool.Go":   func() { p.Go(nop); p.Call(nop) },
		"EvalPool":  func() { n, _ = EvalPool(p, answer) },
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if n != 42 {
		t.Errorf("the result is %d", n)
	}
}
