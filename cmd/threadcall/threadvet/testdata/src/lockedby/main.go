// Package main locks the main goroutine in a function that init calls.
package main

import (
	"runtime"

	"github.com/go-gl/glfw/v3.3/glfw"
)

func init() { setUp() }

func setUp() { runtime.LockOSThread() }

func main() { glfw.Init() }
