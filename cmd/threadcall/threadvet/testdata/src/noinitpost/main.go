// Package main forgets mainthread.Init: a deferred call of a goroutine posts.
package main

import "github.com/threadcall/threadcall/mainthread"

func main() { // want `^main does not call mainthread.Init, for which the function that mainthread.Coalesce returns waits; called by a function in main \(main.go:\d+\), which runs on a goroutine started at main.go:\d+$`
	post := mainthread.Coalesce(func() {})
	go func() {
		defer post()
	}()
}
