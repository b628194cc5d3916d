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
	right := check.Calls("egl, a triangle", func() bool { return gl.triangle(colour()) }) &&
		check.Calls("egl, a uniform", func() bool { return gl.tint(colour()) })
	gl.thread.Close()
	if !right {
		os.Exit(1)
	}
}

func colour() uint32 { return rand.Uint32N(1 << 24) }

// An artist draws on a thread of its own, on which its canvas is always current. Its functions may
// be called from any goroutine.
type artist struct {
	thread   *thread.Thread
	canvas   *canvas
	triangle func(rgb uint32) bool
	tint     func(rgb uint32) bool
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
	a.triangle = thread.Bind1V(t, a.canvas.triangle)
	a.tint = thread.Bind1V(t, a.canvas.tint)
	return a, nil
}
