// Package main forgets mainthread.Init.
package main

import (
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

func main() { // want `^main does not call mainthread.Init, for which mainthread.Call waits; called by show \(main.go:\d+\), called by a function in main \(main.go:\d+\), which runs on a goroutine started at main.go:\d+$`
	mainthread.Call(func() {}) // runs in place
	go func() { show() }()
	time.Sleep(1)
}

func show() { mainthread.Call(func() {}) }
