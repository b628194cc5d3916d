// Package testinits has a TestMain with mainthread.Init.
package testinits

import "github.com/threadcall/threadcall/mainthread"

func Show() { mainthread.Call(func() {}) } // want Show:"needs init for mainthread.Call"
