//go:build !windows && !darwin

package app_test

import (
	"image"
	"testing"

	"github.com/jezek/xgb/xproto"

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
	eventually(t, func() bool {
		const relative = 1
		fake(t, xproto.MotionNotify, relative, image.Pt(20, 0))
		moves := of[app.MouseMoveEvent](r)
		return len(moves) > 0 && moves[len(moves)-1].X > 1500
	}, "a mouse that goes farther to the right than the screen is wide: %v", r)
}
