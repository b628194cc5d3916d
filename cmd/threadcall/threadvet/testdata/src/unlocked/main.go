// Package main does not lock the main goroutine.
package main

import "github.com/go-gl/glfw/v3.3/glfw"

func main() { start() }

func start() {
	glfw.Init() // want `^glfw.Init must be called on the main thread; called by start \(main.go:9\), called by main \(main.go:6\), whose goroutine is not locked to it: call runtime.LockOSThread in an init function$`
	glfw.PollEvents()
}
