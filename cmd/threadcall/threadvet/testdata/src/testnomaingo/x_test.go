// Package testnomaingo forgets TestMain: a go statement of a test calls package mainthread.
package testnomaingo

import (
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

func TestGo(t *testing.T) { // want `^no TestMain calls mainthread.Init, for which mainthread.Call waits; it runs on a goroutine started at x_test.go:\d+$`
	go mainthread.Call(func() {})
}
