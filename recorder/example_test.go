package recorder_test

import (
	"fmt"

	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// A whole program. threadcall trace -- go run . prints how long each call waited, and what the
// thread did.
func Example() {
	recorder.Start()
	defer recorder.Stop()

	t := thread.New(thread.WithName("worker"))
	defer t.Close()
	sum := 0
	for i := range 10 {
		t.Call(func() { sum += i })
	}
	fmt.Println(sum)
	// Output: 45
}
