package main

import "github.com/threadcall/threadcall/mainthread"

var ways = []struct {
	name string
	run  func()
}{
	{"init", func() { mainthread.Init(func() { mainthread.Call(func() {}) }) }},
}
