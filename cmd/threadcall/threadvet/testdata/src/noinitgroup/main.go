// Package main forgets mainthread.Init: a group runs a method that calls package mainthread.
package main

import (
	"lib"
	"sync"
)

func main() { // want `^main does not call mainthread.Init, for which mainthread.Call waits; called by lib.Window.Safe \(lib.go:\d+\), which sync.WaitGroup.Go runs on a goroutine \(main.go:\d+\)$`
	var w lib.Window
	w.Safe() // on the main goroutine
	var wg sync.WaitGroup
	wg.Go(w.Safe)
	wg.Wait()
}
