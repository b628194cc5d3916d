package app

import "github.com/go-gl/glfw/v3.3/glfw"

// listen has GLFW report what happens to the window. It runs on the main thread, and so do the functions that it sets.
func (w *Win) listen() {
	put := w.queue.put
	win := w.win
	win.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, scancode int, action glfw.Action, mods glfw.ModifierKey) {
		put(happening{kind: keyKind, key: KeyEvent{key, scancode, action, mods}})
	})
	win.SetCharCallback(func(_ *glfw.Window, r rune) {
		put(happening{kind: textKind, text: TextEvent{r}})
	})
	var mouse MouseMoveEvent
	win.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) {
		mouse = MouseMoveEvent{x, y}
		put(happening{kind: moveMouseKind, mouse: mouse})
	})
	win.SetMouseButtonCallback(func(_ *glfw.Window, b glfw.MouseButton, a glfw.Action, m glfw.ModifierKey) {
		put(happening{kind: buttonKind, button: MouseButtonEvent{b, a, m, mouse.X, mouse.Y}})
	})
	win.SetCursorEnterCallback(func(_ *glfw.Window, inside bool) {
		put(happening{kind: enterKind, flag: inside})
	})
	win.SetScrollCallback(func(_ *glfw.Window, x, y float64) {
		put(happening{kind: scrollKind, mouse: MouseMoveEvent{x, y}})
	})
	win.SetDropCallback(func(_ *glfw.Window, paths []string) {
		put(happening{kind: dropKind, drop: paths})
	})
	win.SetPosCallback(func(_ *glfw.Window, x, y int) {
		put(happening{kind: moveKind, move: MoveEvent{x, y}})
	})
	win.SetFocusCallback(func(_ *glfw.Window, focused bool) {
		put(happening{kind: focusKind, flag: focused})
	})
	var state StateEvent
	win.SetIconifyCallback(func(_ *glfw.Window, minimized bool) {
		state.Minimized = minimized
		put(happening{kind: stateKind, state: state})
	})
	win.SetMaximizeCallback(func(_ *glfw.Window, maximized bool) {
		state.Maximized = maximized
		put(happening{kind: stateKind, state: state})
	})
	win.SetContentScaleCallback(func(_ *glfw.Window, x, y float32) {
		put(happening{kind: scaleKind, scale: ScaleEvent{x, y}})
		w.resized()
	})
	// A change of size comes by one of these or by both, in either order.
	win.SetSizeCallback(func(*glfw.Window, int, int) { w.resized() })
	win.SetFramebufferSizeCallback(func(*glfw.Window, int, int) { w.resized() })
	win.SetRefreshCallback(func(*glfw.Window) { w.Redraw() })
	win.SetCloseCallback(func(*glfw.Window) {
		win.SetShouldClose(false) // that is for Run to decide
		put(happening{kind: closeKind})
	})
	w.look()
}

// look asks how large the window is.
func (w *Win) look() {
	var g geometry
	g.size.Width, g.size.Height = w.win.GetFramebufferSize()
	g.size.ScreenWidth, g.size.ScreenHeight = w.win.GetSize()
	g.scaleX, g.scaleY = w.win.GetContentScale()
	w.geometry = g
	w.shared.mu.Lock()
	w.shared.geometry = g
	w.shared.mu.Unlock()
}

// resized tells of a new size, once.
func (w *Win) resized() {
	before := w.geometry.size
	w.look()
	if w.geometry.size != before {
		w.queue.put(happening{kind: resizeKind, resize: w.geometry.size})
		w.Redraw()
	}
}
