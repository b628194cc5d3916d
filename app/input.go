package app

import "github.com/go-gl/glfw/v3.4/glfw"

// listen sets the callbacks of GLFW for the window. It runs on the main thread, and so do they.
func (w *Win) listen() {
	put := w.queue.put
	win := w.win
	win.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, scancode int, action glfw.Action, mods glfw.ModifierKey) {
		put(happening{kind: keyKind, key: KeyEvent{Key(key), scancode, Action(action), Mods(mods)}})
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
		put(happening{kind: buttonKind, button: MouseButtonEvent{MouseButton(b), Action(a), Mods(m), mouse.X, mouse.Y}})
	})
	win.SetCursorEnterCallback(func(_ *glfw.Window, inside bool) {
		put(happening{kind: enterKind, enter: MouseEnterEvent{inside}})
	})
	win.SetScrollCallback(func(_ *glfw.Window, x, y float64) {
		put(happening{kind: scrollKind, scroll: ScrollEvent{x, y}})
	})
	win.SetDropCallback(func(_ *glfw.Window, paths []string) {
		put(happening{kind: dropKind, drop: DropEvent{paths}})
	})
	win.SetPosCallback(func(_ *glfw.Window, x, y int) {
		put(happening{kind: moveKind, move: MoveEvent{x, y}})
	})
	win.SetFocusCallback(func(_ *glfw.Window, focused bool) {
		put(happening{kind: focusKind, focus: FocusEvent{focused}})
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
		win.SetShouldClose(false) // Run decides
		put(happening{kind: closeKind})
	})
	w.look()
}

// look stores the size of the window.
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

// resized puts a new size into the queue, once.
func (w *Win) resized() {
	before := w.geometry.size
	w.look()
	if w.geometry.size != before {
		w.queue.put(happening{kind: resizeKind, resize: w.geometry.size})
		w.Redraw()
	}
}
