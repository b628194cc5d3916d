// Package main needs no mainthread.Init: only its main goroutine calls before it ends.
package main

import (
	"lib"

	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	show := func() { mainthread.Call(func() {}) }
	show()
	defer show()
	defer mainthread.Call(func() {})
	mainthread.Go(func() { mainthread.Call(show) })
	lib.Each(func(int) { show() })
	go mainthread.On()
	go func() {
		if mainthread.On() {
			show()
		}
	}()
	go mainthread.Call(show) //threadcall:ignore the process ends first
}
