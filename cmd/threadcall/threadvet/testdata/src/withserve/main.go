// Package main serves the main thread in its event loop.
package main

import "github.com/threadcall/threadcall/mainthread"

func main() {
	go func() { mainthread.Call(func() {}) }()
	go mainthread.Call(func() {})
	loop()
}

func loop() {
	for {
		mainthread.Serve()
	}
}
