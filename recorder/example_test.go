package recorder_test

import (
	"fmt"
	"time"

	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// A whole program. threadcall trace -- go run . prints how long each call waited, and what the
// thread did.
func Example() {
	recorder.Start()
	defer recorder.Stop()

	t := thread.New(thread.WithName("worker"))
	defer t.Terminate()
	sum := 0
	for i := range 10 {
		t.Call(func() { sum += i })
	}
	fmt.Println(sum)
	// Output: 45
}

// Each function that has run for 100 milliseconds leaves a file slow-TIME-gl.trace, of which ten
// are kept. threadcall trace -html page.html FILE shows what the program did meanwhile.
func ExampleSlowCalls() {
	t := thread.New(thread.WithName("gl"),
		thread.WithSlowCall(100*time.Millisecond, recorder.SlowCalls("slow", 10)))
	defer t.Terminate()
	t.Call(func() { fmt.Println("in time") })
	// Output: in time
}
