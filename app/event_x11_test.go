//go:build !windows && !darwin

package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
)

func TestKeysArriveInOrder(t *testing.T) {
	w, _ := show(t)
	r := listen(w, nil)
	focus(t, w)
	comes(t, r, func(e app.FocusEvent) bool { return e.Focused })
	const word = "threadcall"
	for _, c := range word {
		typeKey(t, xproto.Keysym(c))
	}
	press(t, 0xffe1) // the left shift key
	typeKey(t, 'a')
	release(t, 0xffe1)
	eventually(t, func() bool { return len(of[app.KeyEvent](r)) >= 2*len(word)+4 }, "the keys; there are %v", r)

	var keys, text strings.Builder
	for _, e := range of[app.KeyEvent](r) {
		if e.Action == app.Press && e.Key < 256 {
			keys.WriteRune(rune(e.Key))
		}
		if e.Scancode == 0 {
			t.Errorf("no scancode: %+v", e)
		}
	}
	for _, e := range of[app.TextEvent](r) {
		text.WriteRune(e.Rune)
	}
	if got, want := keys.String(), "THREADCALLA"; got != want {
		t.Errorf("the keys were %q, want %q", got, want)
	}
	if got, want := text.String(), "threadcallA"; got != want {
		t.Errorf("the text was %q, want %q", got, want)
	}
	all := of[app.KeyEvent](r)
	if e := all[len(all)-3]; e.Key != app.KeyA || e.Mods&app.ModShift == 0 {
		t.Errorf("A with the shift key held came as %+v", e)
	}
	if e := all[len(all)-1]; e.Key != app.KeyLeftShift || e.Action != app.Release {
		t.Errorf("the last key was %+v", e)
	}
}

func TestAKeyThatIsHeldRepeats(t *testing.T) {
	w, _ := show(t)
	r := listen(w, nil)
	focus(t, w)
	comes(t, r, func(e app.FocusEvent) bool { return e.Focused })
	press(t, 'k')
	defer release(t, 'k')
	comes(t, r, func(e app.KeyEvent) bool { return e.Key == app.KeyK && e.Action == app.Repeat })
}

func TestMouse(t *testing.T) {
	w, _ := show(t)
	place(t, w, 100, 100)
	r := listen(w, nil)
	moveMouse(t, 0, 0)
	moveMouse(t, 110, 120)
	comes(t, r, func(e app.MouseEnterEvent) bool { return e.Inside })
	comes(t, r, func(e app.MouseMoveEvent) bool { return e.X == 10 && e.Y == 20 })
	click(t, 1)
	click(t, 3)
	click(t, 4) // the wheel
	click(t, 5)
	click(t, 6)
	moveMouse(t, 0, 0)
	comes(t, r, func(e app.MouseEnterEvent) bool { return !e.Inside })

	if got, want := of[app.MouseButtonEvent](r), []app.MouseButtonEvent{
		{Button: app.MouseLeft, Action: app.Press, X: 10, Y: 20},
		{Button: app.MouseLeft, Action: app.Release, X: 10, Y: 20},
		{Button: app.MouseRight, Action: app.Press, X: 10, Y: 20},
		{Button: app.MouseRight, Action: app.Release, X: 10, Y: 20},
	}; !slices.Equal(got, want) {
		t.Errorf("buttons: %+v, want %+v", got, want)
	}
	if got, want := of[app.ScrollEvent](r), []app.ScrollEvent{{0, 1}, {0, -1}, {1, 0}}; !slices.Equal(got, want) {
		t.Errorf("scroll: %+v, want %+v", got, want)
	}
}

// A click that opens a window under the mouse must not be reported at the mouse's place in the window before: the first
// position of a window comes from a click, if the mouse has not moved since.
func TestAClickKnowsItsPlaceWithoutAMove(t *testing.T) {
	moveMouse(t, 50, 60)
	w, _ := show(t) // at (0, 0)
	r := listen(w, nil)
	eventually(t, func() bool {
		click(t, 1)
		return len(of[app.MouseButtonEvent](r)) > 0
	}, "a click")
	if e := of[app.MouseButtonEvent](r)[0]; e.X != 50 || e.Y != 60 {
		t.Errorf("the click came as %+v, want (50, 60)", e)
	}
}

func TestResizeMoveAndFocus(t *testing.T) {
	w, _ := show(t)
	r := listen(w, nil)
	resize(t, w, 321, 123)
	comes(t, r, func(e app.ResizeEvent) bool { return e == app.ResizeEvent{321, 123, 321, 123} })
	place(t, w, 44, 55)
	comes(t, r, func(e app.MoveEvent) bool { return e == app.MoveEvent{44, 55} })
	if px, py := w.Position(); px != 44 || py != 55 {
		t.Errorf("Position is %d, %d", px, py)
	}
	if width, height := w.Size(); width != 321 || height != 123 {
		t.Errorf("Size is %d, %d", width, height)
	}
	focus(t, w)
	comes(t, r, func(e app.FocusEvent) bool { return e.Focused })
	must(t, xproto.SetInputFocusChecked(x.Conn, xproto.InputFocusPointerRoot, xproto.InputFocusPointerRoot,
		xproto.TimeCurrentTime).Check())
	comes(t, r, func(e app.FocusEvent) bool { return !e.Focused })
	if n := len(of[app.ResizeEvent](r)); n != 1 {
		t.Errorf("one change of size gave %d events: %v", n, r)
	}
}

func TestTheWindowManagerClosesAWindow(t *testing.T) {
	w := open(t)
	r := listen(w, nil)
	done := run(t, w)
	closeByUser(t, w)
	arrives(t, done)
	if n := len(of[app.CloseEvent](r)); n != 1 {
		t.Errorf("%d close events", n)
	}
	if _, err := w.Screenshot(); err != app.ErrClosed {
		t.Errorf("a screenshot of a closed window: %v", err)
	}
}

func TestKeepKeepsAWindow(t *testing.T) {
	w, c := show(t)
	keep := true
	r := listen(w, func(e app.Event) {
		if e, ok := e.(*app.CloseEvent); ok && keep {
			keep = false
			e.Keep()
		}
	})
	closeByUser(t, w)
	eventually(t, func() bool { return len(of[app.CloseEvent](r)) == 1 }, "the close event")
	c.goesOn(t, 3, "frames after a CloseEvent that was not followed")
	closeByUser(t, w) // what was kept once is not kept for ever
	arrives(t, w.Done())
}

// Events wait for a slow handler, and then come in the order in which they happened.
func TestASlowHandlerGetsItsEventsInOrder(t *testing.T) {
	w, c := show(t)
	gate := make(chan struct{})
	held := false
	r := listen(w, func(e app.Event) {
		if !held {
			held = true
			<-gate
		}
	})
	focus(t, w)
	eventually(t, func() bool { return len(of[app.FocusEvent](r)) == 1 }, "the first event")
	const rounds = 30
	for i := range rounds {
		typeKey(t, 'x')
		moveMouse(t, 10+i, 10)
	}
	c.goesOn(t, 5, "frames while a handler sleeps")
	close(gate)
	eventually(t, func() bool { return len(of[app.KeyEvent](r)) == 2*rounds && len(of[app.MouseMoveEvent](r)) >= rounds },
		"the events that waited: %v", r)
	r.mu.Lock()
	defer r.mu.Unlock()
	presses, at := 0, 9.0
	for _, v := range r.all {
		switch e := v.(type) {
		case app.KeyEvent:
			if e.Action == app.Press {
				presses++
			}
		case app.MouseMoveEvent:
			if e.X < at {
				t.Fatalf("move to %v after one to %v", e.X, at)
			}
			if at = e.X; e.X >= 10 && presses != int(e.X)-9 {
				t.Fatalf("the move to %v came after %d keys", e.X, presses)
			}
		}
	}
}

// The X server's answers, for which the drawing waits, and the events come through one socket: an event that Xlib reads
// while a window's thread waits must not lie there until something else wakes the main thread.
func TestEventsArriveWhileAWindowDraws(t *testing.T) {
	w, c := show(t, app.NoVSync())
	r := listen(w, nil)
	var worst time.Duration
	for i := range 100 {
		before := len(of[app.MouseMoveEvent](r))
		moveMouse(t, 20+i, 30)
		sent := time.Now()
		eventually(t, func() bool { return len(of[app.MouseMoveEvent](r)) > before }, "move %d", i)
		worst = max(worst, time.Since(sent))
		time.Sleep(time.Duration(i%7) * time.Millisecond)
	}
	t.Logf("%d frames; the slowest event took %v", c.n.Load(), worst)
	if worst > patience/6 {
		t.Errorf("an event took %v", worst)
	}
}

// The same when no frame follows that would bring the event to light.
func TestAnEventBesideTheLastFrame(t *testing.T) {
	w, c := show(t, app.OnDemand())
	r := listen(w, nil)
	c.steady(t)
	for i := range 300 {
		before := len(of[app.MouseMoveEvent](r))
		w.Redraw()
		moveMouse(t, 20+i%100, 30+i%2)
		sent := time.Now()
		eventually(t, func() bool { return len(of[app.MouseMoveEvent](r)) > before }, "move %d", i)
		if took := time.Since(sent); took > patience/6 {
			t.Errorf("an event took %v", took)
		}
	}
}

func TestDrop(t *testing.T) {
	w, _ := show(t)
	r := listen(w, nil)
	drop(t, w, "file:///tmp/a%20b\r\nfile:///tmp/%C3%A9\r\n")
	comes(t, r, func(app.DropEvent) bool { return true })
	if got, want := of[app.DropEvent](r)[0].Paths, []string{"/tmp/a b", "/tmp/é"}; !slices.Equal(got, want) {
		t.Errorf("dropped %q, want %q", got, want)
	}
}

// drop does what a file manager does when the user lets go of files over w: the source's side of the XDND protocol.
func drop(t *testing.T, w *app.Win, list string) {
	t.Helper()
	to := id(w)
	c := x.Conn
	source, err := xproto.NewWindowId(c)
	must(t, err)
	must(t, xproto.CreateWindowChecked(c, 0, source, x.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil).Check())
	defer xproto.DestroyWindow(c, source)
	selection, uris := atom(t, "XdndSelection"), atom(t, "text/uri-list")
	must(t, xproto.SetSelectionOwnerChecked(c, source, selection, xproto.TimeCurrentTime).Check())
	position := func() {
		send(t, to, "XdndPosition", uint32(source), 0, 5<<16|5, xproto.TimeCurrentTime, uint32(atom(t, "XdndActionCopy")))
	}
	send(t, to, "XdndEnter", uint32(source), 5<<24, uint32(uris))
	position()
	events := make(chan xgbEvent)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			e, err := c.PollForEvent()
			if e == nil && err == nil {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
				}
				continue
			}
			select {
			case events <- xgbEvent{e, err}:
			case <-stop:
				return
			}
		}
	}()
	for {
		switch e := arrives(t, events).event.(type) {
		case xproto.ClientMessageEvent:
			switch e.Type {
			case atom(t, "XdndStatus"):
				send(t, to, "XdndDrop", uint32(source), 0, xproto.TimeCurrentTime)
			case atom(t, "XdndFinished"):
				return
			}
		case xproto.SelectionRequestEvent:
			must(t, xproto.ChangePropertyChecked(c, xproto.PropModeReplace, e.Requestor, e.Property, e.Target, 8,
				uint32(len(list)), []byte(list)).Check())
			n := xproto.SelectionNotifyEvent{
				Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: e.Property,
			}
			must(t, xproto.SendEventChecked(c, false, e.Requestor, 0, string(n.Bytes())).Check())
		}
	}
}

type xgbEvent struct {
	event any
	err   error
}
