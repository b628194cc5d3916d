package app

import (
	"cmp"
	"errors"
	"image"
	"slices"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// A placement is the position and size of a window.
type placement struct{ x, y, width, height int }

// SetTitle changes the title.
func (w *Win) SetTitle(title string) { w.post(func() { w.win.SetTitle(title) }) }

// SetIcon sets the icon. The system uses the image of the size that suits it best; 16, 32 and 48
// pixels are good sizes. Without an image the window has the system's icon; empty ones do not
// count. macOS has no icons for windows.
func (w *Win) SetIcon(images ...image.Image) {
	images = slices.DeleteFunc(slices.Clone(images), func(i image.Image) bool {
		return i == nil || i.Bounds().Empty()
	})
	w.post(func() { w.win.SetIcon(images) })
}

// Size returns the size of the content in screen coordinates. It is zero once the window is closed.
func (w *Win) Size() (width, height int) {
	_ = w.do(func() { width, height = w.win.GetSize() })
	return width, height
}

// SetSize changes the size of the content, in screen coordinates. Sizes are at least 1 and at most
// 16,384.
func (w *Win) SetSize(width, height int) {
	w.post(func() { w.win.SetSize(min(max(width, 1), most), min(max(height, 1), most)) })
}

// Position returns the position of the upper left corner of the content on the screen.
func (w *Win) Position() (x, y int) {
	_ = w.do(func() { x, y = w.win.GetPos() })
	return x, y
}

// SetPosition moves the window.
func (w *Win) SetPosition(x, y int) { w.post(func() { w.win.SetPos(clamp(x), clamp(y)) }) }

// clamp returns what of x a window system can represent.
func clamp(x int) int { return min(max(x, -1<<15), 1<<15-1) }

// SetSizeLimits keeps the user from making the window smaller or larger than this. Zero means no
// limit.
func (w *Win) SetSizeLimits(minWidth, minHeight, maxWidth, maxHeight int) {
	limit := func(n int) int {
		if n <= 0 {
			return glfw.DontCare
		}
		return n
	}
	if maxWidth > 0 {
		maxWidth = max(maxWidth, minWidth)
	}
	if maxHeight > 0 {
		maxHeight = max(maxHeight, minHeight)
	}
	w.post(func() {
		w.win.SetSizeLimits(limit(minWidth), limit(minHeight), limit(maxWidth), limit(maxHeight))
	})
}

// Show shows a hidden window.
func (w *Win) Show() { w.post(func() { w.win.Show() }) }

// Hide hides the window. Frames go on, at the monitor's rate at most, so that a program can prepare
// what it will show, or take a Screenshot of what it never shows; [Win.SetOnDemand] ends them.
func (w *Win) Hide() {
	w.post(func() {
		if state.wayland.Load() {
			w.hiding.Lock()
			defer w.hiding.Unlock()
		}
		w.win.Hide()
	})
}

// Focus brings the window to the front and gives it the keyboard.
func (w *Win) Focus() { w.post(func() { w.win.Focus() }) }

// Minimize makes an icon of the window, as the user may. No frames are drawn until it is restored,
// but those for Screenshot.
func (w *Win) Minimize() { w.post(func() { w.win.Iconify() }) }

// Maximize makes the window as large as the screen allows.
func (w *Win) Maximize() { w.post(func() { w.win.Maximize() }) }

// Restore undoes Minimize and Maximize.
func (w *Win) Restore() { w.post(func() { w.win.Restore() }) }

// Fullscreen makes the window cover m, in the mode that m has, until Windowed. It returns an error
// if m is nil or no longer connected, or the window is closed.
func (w *Win) Fullscreen(m *Monitor) error {
	if m == nil {
		return errors.New("app: Fullscreen(nil); call app.Monitors")
	}
	err := errNoMonitor
	if gone := w.do(func() {
		if !connected(m) {
			return
		}
		err = nil
		if w.win.GetMonitor() == nil {
			w.placed.x, w.placed.y = w.win.GetPos()
			w.placed.width, w.placed.height = w.win.GetSize()
		}
		w.full = m.m
		w.win.SetMonitor(m.m, 0, 0, m.Mode.Width, m.Mode.Height, m.Mode.RefreshRate)
	}); gone != nil {
		return gone
	}
	return err
}

// Windowed undoes Fullscreen. If the window was made so, it gets the size that it was made with.
func (w *Win) Windowed() {
	w.post(func() {
		if w.win.GetMonitor() != nil {
			w.window(w.before())
		}
	})
}

// before returns where the window was before Fullscreen.
func (w *Win) before() placement {
	if w.placed.width == 0 {
		return placement{0, 0, w.opts.width, w.opts.height}
	}
	return w.placed
}

// window gives the window a border and a place.
func (w *Win) window(p placement) {
	w.full = nil
	w.win.SetMonitor(nil, p.x, p.y, p.width, p.height, 0)
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
