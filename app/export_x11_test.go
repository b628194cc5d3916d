//go:build !windows && !darwin

package app

import "github.com/go-gl/glfw/v3.3/glfw"

func nativeID(w *glfw.Window) uint64 { return uint64(w.GetX11Window()) }
