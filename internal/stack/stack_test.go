package stack

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

// The stacks of more goroutines than fit into the first buffer are all found, and whole.
func TestGoroutines_all(t *testing.T) {
	const n = 1000
	wait, begun := make(chan bool), make(chan bool)
	var all testutil.Group
	defer all.Wait() // or the next run of the test could find them
	defer close(wait)
	for range n {
		all.Go(func() {
			begun <- true
			<-wait
		})
		<-begun
	}
	found, first := map[string]bool{}, 0
	for number, one := range Goroutines() {
		if bytes.Contains(one, []byte("TestGoroutines_all.func1")) {
			found[number] = bytes.Contains(one, []byte("created by "))
		}
	}
	for number, whole := range found {
		if !whole {
			t.Errorf("the stack of goroutine %s is cut short", number)
		}
	}
	if len(found) != n {
		t.Errorf("%d of %d goroutines", len(found), n)
	}
	for range Goroutines() { // the caller's comes first
		first++
		break
	}
	if first != 1 || runtime.NumGoroutine() < n {
		t.Errorf("%d stacks before the loop ended", first)
	}
}
