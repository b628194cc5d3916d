// A library for a C program, ../host.c, which does not say in its build information what it is.
package main

import "C"

import (
	"fmt"
	"runtime/debug"

	"github.com/threadcall/threadcall/mainthread"
)

func main() {}

//export report
func report() {
	_, informed := debug.ReadBuildInfo()
	fmt.Println("information:", informed, "on:", mainthread.On(), "call:", mainthread.Call(func() {}),
		"go:", mainthread.Go(func() {}))
	defer func() { fmt.Println("init:", recover()) }()
	mainthread.Init(func() {})
}
