// Package main forgets mainthread.Init: a timer runs a bound function.
package main

import (
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

var show = mainthread.Bind0(func() {})

func main() { // want `^main does not call mainthread.Init, for which the function that mainthread.Bind0 returns waits; time.AfterFunc runs it on a goroutine \(main.go:\d+\)$`
	show() // runs in place
	time.AfterFunc(1, show)
}
