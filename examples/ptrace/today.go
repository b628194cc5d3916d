//go:build linux && (amd64 || arm64)

package main

import "runtime"

// A channel leads to a locked goroutine, as Delve's does (pkg/proc/native, execPtraceFunc).
type channel struct {
	funcs chan func()
	done  chan struct{}
}

func newChannel() channel {
	c := channel{make(chan func()), make(chan struct{})}
	go func() {
		runtime.LockOSThread() // for ever: the thread ends with the goroutine
		for f := range c.funcs {
			f()
			c.done <- struct{}{}
		}
	}()
	return c
}

func (c channel) bind(f func() error) func() error {
	var err error
	run := func() { err = f() }
	return func() error {
		c.funcs <- run
		<-c.done
		return err
	}
}

func (c channel) close() { close(c.funcs) }
