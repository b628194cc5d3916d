// Package testforgets has tests that need mainthread.Init.
package testforgets

import "github.com/threadcall/threadcall/mainthread"

func Show() { mainthread.Call(func() {}) } // want Show:"needs init for mainthread.Call"
