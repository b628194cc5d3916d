package main

import (
	"errors"
	"testing"

	"github.com/threadcall/threadcall/app"
)

// Fyne and package app may be in one program: they use the same version of GLFW, or it would not link.
func TestLink(t *testing.T) {
	if _, err := app.NewWindow(); !errors.Is(err, app.ErrNotInitialized) {
		t.Errorf("before app.Init, NewWindow returns %v", err)
	}
}
