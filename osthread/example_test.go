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
	t, err := thread.Start(thread.WithName("sampler"), thread.WithStart(func() error {
		if err := osthread.SetAffinity(0); err != nil {
			return err // and with it Start fails
		}
		if err := osthread.SetRealtime(10); !errors.Is(err, syscall.EPERM) {
			return err
		}
		return osthread.SetNice(-5)
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	t.Call(func() { /* measure */ })
}
