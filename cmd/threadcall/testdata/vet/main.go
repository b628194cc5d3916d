// Command vet has mistakes that threadcall vet reports.
package main

import (
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// show belongs to the main thread.
//
//threadcall:on main
func show() {}

func main() {
	mainthread.Init(run)
}

var gl = thread.New(thread.WithName("gl"))

func run() {
	show()
	mainthread.Call(show)
	gl.Call(func() {
		mainthread.Go(show)
		show()
	})
	mainthread.Call(func() {
		done := make(chan bool)
		mainthread.Go(func() { close(done) })
		<-done
	})
}
