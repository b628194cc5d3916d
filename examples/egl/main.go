// OpenGL without a window: a context of EGL that lives on one thread, and goroutines that draw with
// it.
//
//	go -C examples/egl run .
package main

import (
	"log"
	"math/rand/v2"
	"os"

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/thread"
)

func main() {
	gl, err := start()
	if err != nil {
		log.Fatal("egl: ", err)
	}
	right := check.Calls("egl, a picture", func() bool { return gl.paint(rand.Uint32N(1 << 24)) }) &&
		check.Calls("egl, the context", gl.current)
	gl.thread.Close()
	if !right {
		os.Exit(1)
	}
}

// An artist draws on a thread of its own, on which its canvas is always current. Its functions may
// be called from any goroutine.
type artist struct {
	thread  *thread.Thread
	canvas  *canvas
	paint   func(rgb uint32) bool
	current func() bool
}

func start() (*artist, error) {
	a := new(artist)
	t, err := thread.Start(
		thread.WithName("gl"),
		thread.WithKeep(), // EGL may crash the process when a thread ends that has used it
		thread.WithStart(func() (err error) { a.canvas, err = open(); return err }),
		thread.WithStop(func() { a.canvas.close() }),
	)
	if err != nil {
		return nil, err
	}
	a.thread = t
	a.paint = thread.Bind1V(t, a.canvas.paint)
	a.current = func() bool { return thread.MustEval(t, a.canvas.current) }
	return a, nil
}
