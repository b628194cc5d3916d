// Package whole belongs to thread gl.
//
//threadcall:on gl
package whole

import "github.com/threadcall/threadcall/mainthread"

func Draw() {} // want Draw:"on gl"

//threadcall:on any
func Size() { // want Size:"on any"
	mainthread.Call(Draw)
}

func use() { // want use:"on gl"
	Draw()
	go Draw() // want `^Draw must be called on thread gl; here it runs on a goroutine started at whole.go:\d+$`
	go Size()
	mainthread.Call(func() {
		Size()
		Draw() // want `which mainthread.Call runs on the main thread`
	})
}
