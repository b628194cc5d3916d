package osthread_test

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/threadcall/threadcall/osthread"
	"github.com/threadcall/threadcall/thread"
)

// A thread of its own for measurements: named, on one CPU, ahead of others if that is permitted.
func Example() {
	t := thread.New()
	defer t.Terminate()
	t.Call(func() {
		err := errors.Join(osthread.SetName("sampler"), osthread.SetAffinity(0), osthread.SetRealtime(10))
		if errors.Is(err, syscall.EPERM) {
			fmt.Println("without a real-time priority:", err)
		}
	})
}
