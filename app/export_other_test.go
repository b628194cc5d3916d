//go:build windows || darwin

package app

import "github.com/go-gl/glfw/v3.3/glfw"

func nativeID(*glfw.Window) uint64 { return 0 }
