// Package main forgets mainthread.Init: a go statement calls a function of another package.
package main

import "lib"

func main() { // want `^main does not call mainthread.Init, for which mainthread.Call waits; called by lib.Do \(lib.go:\d+\), which runs on a goroutine started at main.go:\d+$`
	go lib.Do(func() {})
}
