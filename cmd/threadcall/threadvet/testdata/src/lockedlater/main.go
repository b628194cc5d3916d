// Package main locks the main goroutine late, but before it matters.
package main

import (
	"runtime"

	"github.com/go-gl/glfw/v3.3/glfw"
)

func main() {
	runtime.LockOSThread()
	glfw.Init()
}
