package app_test

import (
	"testing"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/internal/testutil"
)

// What the plain options and methods of a window do, one test for each. The others have files of
// their own.

func TestTitle_isTheTitleUntilSetTitle(t *testing.T) {
	w := open(t, app.Title("first"))
	is := func(want string) {
		t.Helper()
		with(t, w, func(win *glfw.Window) {
			if got := win.GetTitle(); got != want {
				t.Errorf("the title is %q, want %q", got, want)
			}
		})
	}
	is("first")
	w.SetTitle("second")
	is("second")
}

func TestSize_isTheSizeUntilSetSize(t *testing.T) {
	w := open(t, app.Size(210, 160))
	sized(t, w, 210, 160)
	w.SetSize(220, 170)
	sized(t, w, 220, 170)
}

func TestHidden_isNotShownUntilShow(t *testing.T) {
	w := open(t, app.Hidden())
	visible := func() (shown bool) {
		with(t, w, func(win *glfw.Window) { shown = win.GetAttrib(glfw.Visible) == glfw.True })
		return shown
	}
	if visible() {
		t.Error("a hidden window is shown")
	}
	w.Show()
	testutil.Eventually(t, visible, "the window is shown")
	w.Hide()
	testutil.Eventually(t, func() bool { return !visible() }, "the window is hidden")
}

func TestPace_limitsFrames(t *testing.T) {
	_, c := show(t, app.Pace(1))
	before := c()
	time.Sleep(100 * time.Millisecond)
	if n := c() - before; n > 2 {
		t.Errorf("%d frames in a tenth of a second", n)
	}
}

func TestOnDemand_drawsNothingMore(t *testing.T) {
	_, c := show(t, app.OnDemand)
	n := c.steady(t)
	if got := c.steady(t); got != n {
		t.Errorf("%d frames that nothing asked for", got-n)
	}
}

func TestWindow_ThreadIsWhereItIsDrawn(t *testing.T) {
	w := open(t)
	on := make(chan bool, 1)
	w.OnDraw(func(*app.Frame) {
		select {
		case on <- w.Thread().On():
		default:
		}
	})
	run(t, w)
	if !testutil.Arrives(t, on) {
		t.Error("a frame is drawn elsewhere")
	}
}
