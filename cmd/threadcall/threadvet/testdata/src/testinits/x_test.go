package testinits

import (
	"os"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) { // want TestMain:"inits"
	mainthread.Init(func() { os.Exit(m.Run()) })
}

func TestShow(t *testing.T) { // want TestShow:"needs init for mainthread.Call, needs main for glfw.Init"
	Show()
	glfw.Init() // want `^glfw.Init must be called on the main thread; called by TestShow \(x_test.go:17\), which package testing runs on a goroutine$`
	t.Run("sub", func(t *testing.T) {
		glfw.Init() // want `glfw.Init must be called on the main thread`
		mainthread.Call(func() { glfw.Init() })
	})
}
