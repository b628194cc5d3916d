package main

import (
	"testing"

	"github.com/threadcall/threadcall/app"
)

// Fyne and package app may be in one program: they use the same version of GLFW, or it would not link.
func TestLink(t *testing.T) {
	if _, err := app.NewWindow(app.Size(0, 0)); err == nil {
		t.Error("there is a window without a size")
	}
}
