package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/internal/testutil"
)

const leftShift = 0xffe1

func TestKeyEvent_andTextEventReportTheKeyboard(t *testing.T) {
	w, _ := show(t)
	r := listen(w, nil)
	focus(t, w, r)
	const word = "threadcall"
	for _, c := range word {
		x.Type(t, xproto.Keysym(c))
	}
	x.Key(t, xproto.KeyPress, leftShift)
	x.Type(t, 'a')
	x.Key(t, xproto.KeyRelease, leftShift)
	testutil.Eventually(t, func() bool { return len(of[app.KeyEvent](r)) >= 2*len(word)+4 },
		"the keys")

	var keys, text strings.Builder
	for _, e := range of[app.KeyEvent](r) {
		if e.Action == glfw.Press && e.Key < 256 {
			keys.WriteRune(rune(e.Key))
		}
		if e.Scancode == 0 {
			t.Errorf("no scancode: %+v", e)
		}
	}
	for _, e := range of[app.TextEvent](r) {
		text.WriteRune(e.Rune)
	}
	if keys.String() != "THREADCALLA" || text.String() != "threadcallA" {
		t.Errorf("the keys were %q and the text %q", keys.String(), text.String())
	}
	all := of[app.KeyEvent](r)
	if e := all[len(all)-3]; e.Key != glfw.KeyA || e.Mods&glfw.ModShift == 0 {
		t.Errorf("A with the shift key held came as %+v", e)
	}
	if e := all[len(all)-1]; e.Key != glfw.KeyLeftShift || e.Action != glfw.Release {
		t.Errorf("the last key was %+v", e)
	}
	x.Key(t, xproto.KeyPress, 'k')
	defer x.Key(t, xproto.KeyRelease, 'k')
	comes(t, r, func(e app.KeyEvent) bool { return e.Key == glfw.KeyK && e.Action == glfw.Repeat })
}

func TestMouseEvents_reportTheMouse(t *testing.T) {
	x.Move(t, 50, 60)
	under, _ := show(t) // the mouse, which has not moved since
	r := listen(under, nil)
	testutil.Eventually(t, func() bool {
		x.Click(t, 1)
		return len(of[app.MouseButtonEvent](r)) > 0
	}, "a click")
	if e := of[app.MouseButtonEvent](r)[0]; e.X != 50 || e.Y != 60 {
		t.Errorf("the click came as %+v, want (50, 60)", e)
	}

	w, _ := show(t)
	x.Move(t, 0, 0)
	place(t, w, 100, 100)
	placed(t, w, 100, 100)
	r = listen(w, nil)
	x.Move(t, 110, 120)
	comes(t, r, func(e app.MouseEnterEvent) bool { return e.Inside })
	comes(t, r, func(e app.MouseMoveEvent) bool { return e.X == 10 && e.Y == 20 })
	for _, button := range []byte{1, 3, 4, 5, 6} { // from the fourth on it is the wheel
		x.Click(t, button)
	}
	testutil.Eventually(t, func() bool {
		return len(of[app.MouseButtonEvent](r)) >= 4 && len(of[app.ScrollEvent](r)) >= 3
	}, "the clicks")
	x.Move(t, 0, 0)
	comes(t, r, func(e app.MouseEnterEvent) bool { return !e.Inside })
	if got, want := of[app.MouseButtonEvent](r), []app.MouseButtonEvent{
		{Button: glfw.MouseButtonLeft, Action: glfw.Press, X: 10, Y: 20},
		{Button: glfw.MouseButtonLeft, Action: glfw.Release, X: 10, Y: 20},
		{Button: glfw.MouseButtonRight, Action: glfw.Press, X: 10, Y: 20},
		{Button: glfw.MouseButtonRight, Action: glfw.Release, X: 10, Y: 20},
	}; !slices.Equal(got, want) {
		t.Errorf("buttons: %+v, want %+v", got, want)
	}
	if got, want := of[app.ScrollEvent](r), []app.ScrollEvent{{0, 1}, {0, -1},
		{1, 0}}; !slices.Equal(got, want) {
		t.Errorf("scroll: %+v, want %+v", got, want)
	}
}

func TestResizeEvent_andOthersReportTheWindow(t *testing.T) {
	w, _ := show(t, app.Hints(func() {
		glfw.WindowHint(glfw.PositionX, 321)
		glfw.WindowHint(glfw.PositionY, 123)
	}))
	placed(t, w, 321, 123)
	r := listen(w, nil)
	resize(t, w, 321, 123)
	comes(t, r, func(e app.ResizeEvent) bool { return e == app.ResizeEvent{321, 123, 321, 123} })
	place(t, w, 44, 55)
	comes(t, r, func(e app.MoveEvent) bool { return e == app.MoveEvent{44, 55} })
	placed(t, w, 44, 55)
	sized(t, w, 321, 123)
	focus(t, w, r)
	x.Focus(t, xproto.InputFocusPointerRoot)
	comes(t, r, func(e app.FocusEvent) bool { return !e.Focused })
	if n := len(of[app.ResizeEvent](r)); n != 1 {
		t.Errorf("one change of size gave %d events: %v", n, r)
	}
}

func TestCloseEvent_KeepKeepsTheWindow(t *testing.T) {
	for where, opts := range handlers {
		t.Run(where, func(t *testing.T) {
			w, c := show(t, opts...)
			keep := true
			r := listen(w, func(e app.Event) {
				if e, ok := e.(*app.CloseEvent); ok && keep {
					keep = false
					e.Keep()
				}
			})
			click := func() { // on the cross of the window, as the window manager reports it
				x.Send(t, id(w), "WM_PROTOCOLS", uint32(x.Atom(t, "WM_DELETE_WINDOW")),
					xproto.TimeCurrentTime)
			}
			click()
			comes(t, r, func(app.CloseEvent) bool { return true })
			before := c()
			w.Redraw()
			c.exceeds(t, before, "a frame after Keep")
			click() // Keep is for one event
			<-w.Done()
			if n := len(of[app.CloseEvent](r)); n != 2 {
				t.Errorf("%d close events, want 2", n)
			}
		})
	}
}

// The tests have no gamepad: GLFW's part has not been tried.
func TestGamepadEvent_reportsAGamepadOnce(t *testing.T) {
	w, _ := show(t)
	other, _ := show(t, app.EventsOnDraw())
	if all := app.Gamepads(); len(all) > 0 {
		t.Skip("there are gamepads: ", all)
	}
	both := []*record{listen(w, nil), listen(other, nil)}
	for _, connected := range []bool{true, true, false, false} {
		app.ChangeGamepad(glfw.Joystick3, connected)
	}
	w.Thread().Call(func() { app.Gamepads() }) // as OnDraw may
	for _, r := range both {
		testutil.Eventually(t, func() bool { return len(of[app.GamepadEvent](r)) == 2 }, "two events")
		for i, e := range of[app.GamepadEvent](r) {
			if e.ID != glfw.Joystick3 || e.Connected != (i == 0) {
				t.Errorf("event %d is %+v", i, e)
			}
		}
	}
	app.Terminate()
	if all := app.Gamepads(); all != nil {
		t.Errorf("gamepads after Terminate: %v", all)
	}
}

// The events, and the replies of the X server for which the drawing waits, come through one socket:
// an event that Xlib reads while a window's thread waits must not stay there until something else
// wakes the main thread.
func TestEvent_isNotLeftBehindByDrawing(t *testing.T) {
	for name, opt := range map[string]app.Option{"NoVSync": app.Unlimited,
		"OnDemand": app.OnDemand} {
		t.Run(name, func(t *testing.T) {
			w, c := show(t, opt)
			r := listen(w, nil)
			if name == "OnDemand" {
				c.steady(t) // no frame follows that would bring the event
			}
			for i := range 300 {
				before := len(of[app.MouseMoveEvent](r))
				w.Redraw()
				x.Move(t, 20+i%100, 30+i%2)
				sent := time.Now()
				testutil.Eventually(t, func() bool {
					return len(of[app.MouseMoveEvent](r)) > before
				}, "move %d", i)
				if took := time.Since(sent); took > testutil.TimeLimit()/6 {
					t.Errorf("an event took %v", took)
				}
			}
		})
	}
}

// The functions given to OnEvent and OnDraw run on one thread; the race detector would report
// moves.
func TestEventsOnDraw_runsOnTheWindowsThread(t *testing.T) {
	w := open(t, app.EventsOnDraw())
	moves, drawn := 0, make(chan int)
	c := count(w, func(*app.Frame) {
		select {
		case drawn <- moves:
		default:
		}
	})
	r := listen(w, func(e app.Event) {
		if !w.Thread().On() {
			t.Error("an event is delivered on another thread")
		}
		if _, ok := e.(*app.MouseMoveEvent); ok {
			moves++
		}
	})
	w.SetSize(222, 111) // its event comes before Run, and is delivered after it, on the thread
	sized(t, w, 222, 111)
	run(t, w)
	c.goesOn(t, 1, "the first frame")
	comes(t, r, func(e app.ResizeEvent) bool { return e.ScreenWidth == 222 })
	const many = 100
	for i := range many {
		x.Move(t, 10+i, 10)
	}
	comes(t, r, func(e app.MouseMoveEvent) bool { return e.X == 10+many-1 })
	if n := <-drawn; n < many-1 { // the mouse may have been at the first place
		t.Errorf("a frame has seen %d events, want %d", n, many)
	}
}

// Events that come while no frame is drawn are delivered, and cause none.
func TestEventsOnDraw_deliversWithoutAFrame(t *testing.T) {
	for name, opts := range map[string][]app.Option{
		"OnDemand":  {app.OnDemand, app.EventsOnDraw()},
		"FrameRate": {app.Pace(0.001), app.EventsOnDraw()},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := show(t, opts...)
			r := listen(w, func(e app.Event) {
				if !w.Thread().On() {
					t.Error("an event is delivered on another thread")
				}
				if e, ok := e.(*app.KeyEvent); ok && e.Key == glfw.KeyR && e.Action == glfw.Press {
					w.Redraw()
				}
			})
			focus(t, w, r)
			before := c.steady(t)
			for i := range 50 {
				x.Move(t, 10+i, 20)
			}
			comes(t, r, func(e app.MouseMoveEvent) bool { return e.X == 59 })
			if n := c.steady(t); n != before {
				t.Errorf("events have caused %d frames", n-before)
			}
			if name == "OnDemand" {
				x.Type(t, 'r')
				c.goesOn(t, 0, "the key")
				c.exceeds(t, before, "the frame that an event requested")
			}
		})
	}
}
