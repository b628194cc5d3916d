// A plugin that uses package mainthread, for a program that may do so as well.
package main

import (
	"fmt"
	"runtime"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

func main() {}

// Report writes what calls do, and Init.
func Report() {
	fmt.Println("on:", mainthread.On(), "call:", mainthread.Call(func() {}),
		"go:", mainthread.Go(func() {}), "another thread:", thread.New().Call(runtime.Gosched))
	defer func() { fmt.Println("init:", recover()) }()
	mainthread.Init(func() { fmt.Println("runs:", mainthread.Call(func() {})) })
}
