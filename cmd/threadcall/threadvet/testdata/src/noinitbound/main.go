// Package main forgets mainthread.Init: a timer runs a post.
package main

import (
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

var show = mainthread.Coalesce(func() {})

func main() { // want `^main does not call mainthread.Init, for which the function that mainthread.Coalesce returns waits; called by a function in main \(main.go:\d+\), which time.AfterFunc runs on a goroutine \(main.go:\d+\)$`
	show() // runs in place
	time.AfterFunc(1, func() { show() })
}
