//go:build !windows && !darwin

package app_test

import (
	"image"
	"testing"

	"github.com/threadcall/threadcall/app"
)

// What the window manager is told.
func TestTitleAndIconReachTheWindowManager(t *testing.T) {
	w := open(t, app.Title("größer"))
	if got := string(property(t, w, "_NET_WM_NAME")); got != "größer" {
		t.Errorf("the title is %q", got)
	}
	w.SetTitle("漢字")
	eventually(t, func() bool { return string(property(t, w, "_NET_WM_NAME")) == "漢字" }, "the new title")
	w.SetIcon(image.NewNRGBA(image.Rect(0, 0, 16, 16)))
	eventually(t, func() bool { return len(property(t, w, "_NET_WM_ICON")) == 4*(2+16*16) }, "the icon")
	w.SetIcon()
	eventually(t, func() bool { return len(property(t, w, "_NET_WM_ICON")) == 0 }, "no icon")
}

func TestACapturedCursorMovesWithoutBounds(t *testing.T) {
	w, _ := show(t)
	r := listen(w, nil)
	focus(t, w)
	comes(t, r, func(e app.FocusEvent) bool { return e.Focused })
	w.SetCursorMode(app.CursorCaptured)
	defer w.SetCursorMode(app.CursorNormal)
	for i := range 60 { // the cursor is put back to the middle after each move
		before := len(of[app.MouseMoveEvent](r))
		moveMouse(t, 150, 75)
		_ = i
		eventually(t, func() bool { return len(of[app.MouseMoveEvent](r)) > before }, "a move")
		moves := of[app.MouseMoveEvent](r)
		if moves[len(moves)-1].X > 1000 {
			return
		}
	}
	t.Errorf("60 moves to the right: %v", r)
}
