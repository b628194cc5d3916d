package app

import (
	"cmp"
	"errors"
	"image"
	"slices"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// SetTitle changes the title.
func (w *Window) SetTitle(title string) { w.post(func() { w.win.SetTitle(title) }) }

// Size returns the size of the content in screen coordinates. It is zero once the window is closed.
func (w *Window) Size() (width, height int) {
	_ = w.do(func() { width, height = w.win.GetSize() })
	return width, height
}

// SetSize changes the size of the content, in screen coordinates: from 1 to 16,384.
func (w *Window) SetSize(width, height int) {
	w.post(func() { w.win.SetSize(min(max(width, 1), most), min(max(height, 1), most)) })
}

// Show shows a hidden window.
func (w *Window) Show() { w.post(func() { w.win.Show() }) }

// Hide hides the window. Frames go on, to prepare what it will show; the [OnDemand] pace ends them.
func (w *Window) Hide() {
	w.post(func() {
		if state.wayland.Load() {
			w.hiding.Lock()
			defer w.hiding.Unlock()
		}
		w.win.Hide()
	})
}

// SetFullScreen makes the window cover a monitor, in the monitor's present mode. With nil, it puts
// the window back to where it was before. It does nothing if the monitor has been disconnected.
//
//	w.SetFullScreen(w.Monitor())
func (w *Window) SetFullScreen(m *glfw.Monitor) {
	w.post(func() {
		p, full := &w.windowed, w.win.GetMonitor() != nil
		if m == nil {
			if full {
				w.win.SetMonitor(nil, p.x, p.y, p.width, p.height, 0)
			}
			return
		}
		if !slices.ContainsFunc(glfw.GetMonitors(), func(c *glfw.Monitor) bool { return *c == *m }) {
			return
		}
		if !full {
			p.x, p.y = w.win.GetPos()
			p.width, p.height = w.win.GetSize()
		}
		if mode := m.GetVideoMode(); mode != nil {
			w.win.SetMonitor(m, 0, 0, mode.Width, mode.Height, mode.RefreshRate)
		}
	})
}

// Monitor returns the monitor that the window covers, or the one that shows most of it, or nil if
// there is none or the window is closed. [glfw.GetMonitors], on the main thread, returns all.
func (w *Window) Monitor() (m *glfw.Monitor) {
	_ = w.do(func() {
		if m = w.win.GetMonitor(); m != nil {
			return
		}
		x, y := w.win.GetPos()
		width, height := w.win.GetSize()
		largest := -1
		for _, c := range glfw.GetMonitors() {
			r := image.Rectangle{}
			if mode := c.GetVideoMode(); mode != nil {
				left, top := c.GetPos()
				r = image.Rect(left, top, left+mode.Width, top+mode.Height).
					Intersect(image.Rect(x, y, x+width, y+height))
			}
			if area := r.Dx() * r.Dy(); area > largest {
				m, largest = c, area
			}
		}
	})
	return m
}

// A Cursor says what becomes of the mouse pointer while the window has the keyboard.
type Cursor int

const (
	CursorNormal   Cursor = iota
	CursorHidden          // not shown over the window
	CursorCaptured        // shown, and kept inside the window
	CursorDisabled        // not shown, and its movements have no bounds
	CursorRaw             // as CursorDisabled, without acceleration where the system can do so
)

// SetCursor changes what becomes of the mouse pointer.
func (w *Window) SetCursor(c Cursor) {
	modes := [...]int{glfw.CursorNormal, glfw.CursorHidden, glfw.CursorCaptured,
		glfw.CursorDisabled, glfw.CursorDisabled}
	w.post(func() {
		w.win.SetInputMode(glfw.CursorMode, modes[c])
		if glfw.RawMouseMotionSupported() {
			raw := glfw.False
			if c == CursorRaw {
				raw = glfw.True
			}
			w.win.SetInputMode(glfw.RawMouseMotion, raw)
		}
	})
}

// Clipboard returns the text in the clipboard, empty if there is none.
func Clipboard() (text string, err error) {
	err = clipboard(func() {
		defer waitInC()()
		text = glfw.GetClipboardString()
	})
	return text, err
}

// SetClipboard puts text into the clipboard.
func SetClipboard(text string) error {
	return clipboard(func() { glfw.SetClipboardString(text) })
}

// clipboard calls f, which reads or writes the clipboard. With Windows it fails while another
// program does the same. The binding of GLFW logs that and does not return it.
func clipboard(f func()) error {
	var failed error
	err := onMain(func() {
		for range 5 {
			glfw.GetError()
			f()
			code, what := glfw.GetError()
			if code == glfw.NoError || code == glfw.FormatUnavailable { // there is no text
				failed = nil
				return
			}
			failed = errors.New("app: cannot open the clipboard: " + what)
			time.Sleep(5 * time.Millisecond)
		}
	})
	return cmp.Or(err, failed)
}
