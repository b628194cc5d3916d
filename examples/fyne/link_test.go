package main

import (
	"errors"
	"testing"

	"github.com/threadcall/threadcall/app"
)

// Fyne and package app may be in one program: they use the same version of GLFW, or it would not link.
func TestLink(t *testing.T) {
	if errors.Is(app.ErrNoDisplay, app.ErrNoOpenGL) {
		t.Error("the errors of package app are the same")
	}
}
