package testutil

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// TimeLimit is how long tests wait: 45 seconds, or what the variable THREADCALL_TIME_LIMIT says.
func TimeLimit() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("THREADCALL_TIME_LIMIT")); err == nil {
		return d
	}
	return 45 * time.Second
}

// A T is what this package uses of a test.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Arrives receives from c, or fails the test with the stacks of all goroutines if nothing comes.
func Arrives[V any](t T, c <-chan V) V {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(TimeLimit()):
		late(t, "nothing came")
		panic("not reached")
	}
}

func late(t T, what string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	t.Fatalf("not within %v: %s\n%s", TimeLimit(), what, stacks[:runtime.Stack(stacks, true)])
}

// Eventually fails the test, with all stacks, if the condition does not become true in time.
func Eventually(t T, condition func() bool, format string, args ...any) {
	t.Helper()
	limit := TimeLimit() // here, because it allocates
	for start := time.Now(); !condition(); time.Sleep(time.Millisecond) {
		if time.Since(start) > limit {
			late(t, fmt.Sprintf(format, args...))
		}
	}
}
