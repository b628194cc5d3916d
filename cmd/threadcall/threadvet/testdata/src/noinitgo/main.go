// Package main forgets mainthread.Init: go statements call package mainthread.
package main

import "github.com/threadcall/threadcall/mainthread"

func main() { // want `^main does not call mainthread.Init, for which mainthread.Go waits; it runs on a goroutine started at main.go:\d+$`
	mainthread.Call(func() {})       // runs in place
	defer mainthread.Call(func() {}) // the same
	go mainthread.Call(func() {})    //threadcall:ignore not the first
	go mainthread.Go(func() {})
}
