package app

import (
	"cmp"
	"errors"
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

// SetSize changes the size of the content, in screen coordinates. Sizes are at least 1 and at most
// 16,384.
func (w *Window) SetSize(width, height int) {
	w.post(func() { w.win.SetSize(min(max(width, 1), most), min(max(height, 1), most)) })
}

// Show shows a hidden window.
func (w *Window) Show() { w.post(func() { w.win.Show() }) }

// Hide hides the window. Frames go on, at most at the rate of the monitor, so that a program can
// prepare a window, or take a Screenshot of one that it never shows; [Window.SetOnDemand] ends them.
func (w *Window) Hide() {
	w.post(func() {
		if state.wayland.Load() {
			w.hiding.Lock()
			defer w.hiding.Unlock()
		}
		w.win.Hide()
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
