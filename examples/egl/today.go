package main

import (
	"runtime"
	"sync"
)

// A moved canvas is made current on the caller's thread for each call, and nowhere after it: what programs do that have no
// thread for it.
type moved struct {
	mu     sync.Mutex
	canvas *canvas
}

func startMoved() (*moved, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := open()
	if err != nil {
		return nil, err
	}
	c.leave()
	return &moved{canvas: c}, nil
}

func (m *moved) do(method func(*canvas, uint32) bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := m.canvas.use(); err != nil {
		return false
	}
	defer m.canvas.leave()
	return method(m.canvas, colour())
}

// A channel leads to a locked goroutine: what most programs do that have a thread for it.
type channel chan request

type request struct {
	method func(*canvas, uint32) bool
	rgb    uint32
	result chan bool
}

func startChannel() (channel, error) {
	c := make(channel)
	opened := make(chan error)
	go func() {
		runtime.LockOSThread()
		canvas, err := open()
		if opened <- err; err != nil {
			select {}
		}
		for r := range c {
			r.result <- r.method(canvas, r.rgb)
		}
		canvas.close()
		select {} // when a locked goroutine ends, so does its thread, and Mesa crashes
	}()
	return c, <-opened
}

func (c channel) do(method func(*canvas, uint32) bool) bool {
	result := make(chan bool, 1)
	c <- request{method, colour(), result}
	return <-result
}
