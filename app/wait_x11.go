//go:build (linux || freebsd || netbsd || openbsd) && (!wayland || x11)

package app

// #cgo linux LDFLAGS: -lX11
// #cgo freebsd netbsd openbsd pkg-config: x11
// #include "wait_x11.h"
import "C"

import (
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// x11 is the connection to the X server, which GLFW and the drivers of all windows share. The main
// thread waits for its events in the Go scheduler: a wait in C would keep a P for up to 10 ms each
// time, and with GOMAXPROCS=2 that is half of them.
//
// Any thread that waits for a reply reads what the server has sent, and queues events, of which the
// socket reports nothing more. So it looks for queued events then, and wakes the main thread.
//
// GLFW waits for the answer of another program, such as the contents of the clipboard, at the
// socket. To look for queued events reads from it, so it is done only while GLFW does not.
var x11 struct {
	// held to look for queued events off the main thread, and to change waiting
	mu      sync.Mutex
	waiting bool           // the main thread waits in the Go scheduler
	display unsafe.Pointer // nil if GLFW does not use X11
	socket  *os.File
	ended   chan struct{} // closed when nothing reads from it
	window  C.ulong       // whose property is changed to have the server send something
}

// watchX11 runs on the main thread after GLFW has been initialized.
func watchX11() error {
	if glfw.GetPlatform() != glfw.PlatformX11 {
		return nil
	}
	display := unsafe.Pointer(glfw.GetX11Display())
	syscall.ForkLock.RLock()
	fd, err := syscall.Dup(int(C.XConnectionNumber(display)))
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return os.NewSyscallError("dup", err)
	}
	socket := os.NewFile(uintptr(fd), "X11")
	conn, err := socket.SyscallConn()
	if err != nil {
		socket.Close()
		return err
	}
	ended := make(chan struct{})
	x11.display, x11.socket, x11.ended = display, socket, ended
	x11.window = C.newWindow(display)
	go func() {
		defer close(ended)
		_ = conn.Read(func(uintptr) bool { // called at once, and each time that something has come
			wakeForEvents()
			return false
		})
	}()
	return nil
}

// unwatchX11 runs on the main thread before GLFW is terminated.
func unwatchX11() {
	if x11.display != nil {
		x11.socket.Close()
		<-x11.ended
		x11.display = nil
	}
}

// wakeForEvents wakes the main thread for events that have been read, until unwatchX11.
func wakeForEvents() {
	x11.mu.Lock()
	wake := !x11.waiting || eventsQueued()
	x11.mu.Unlock()
	if wake {
		notified.set() // if it does not wait, it will look once more when it would
	}
}

func setWaiting(waiting bool) {
	x11.mu.Lock()
	x11.waiting = waiting
	x11.mu.Unlock()
}

func eventsQueued() bool {
	const afterReading = 1
	return x11.display != nil && C.XEventsQueued(x11.display, afterReading) > 0
}

// waitInC prepares the main thread for a wait in C for an event, as GLFW waits for the clipboard. A
// thread that shows a frame may read that event; so the server sends something every 10 ms, for
// which the wait looks at what has been read.
func waitInC() (end func()) {
	if x11.display == nil {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				C.change(x11.display, x11.window)
			}
		}
	}()
	return func() { close(over); <-ended }
}

func inScheduler() bool { return x11.display != nil }
