package main

import (
	"fyne.io/fyne/v2"

	"github.com/threadcall/threadcall/mainthread"
)

// hook has Fyne's loop run what goroutines have queued for the main thread. The app must have been made, and be run by
// the main goroutine.
func hook() {
	mainthread.OnWake(func() { fyne.Do(serve) })
}

// serve runs on the main thread as long as Fyne's loop does. Once that has ended, fyne.Do runs it at once, on whatever
// goroutine has queued something: then there is nothing to be done.
func serve() {
	if mainthread.On() {
		mainthread.Serve()
	}
}
