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
		if w.minimized.Store(minimized); !minimized {
			w.request()
		}
	})
	win.SetMaximizeCallback(func(_ *glfw.Window, maximized bool) {
		state.Maximized = maximized
		put(happening{kind: stateKind, state: state})
	})
	win.SetContentScaleCallback(func(_ *glfw.Window, x, y float32) {
		put(happening{kind: scaleKind, scale: ScaleEvent{x, y}})
		g := w.geometry
		g.scaleX, g.scaleY = x, y
		w.resized(g)
	})
	// A change of size comes by one of these or by both, in either order. What they report counts: an X server that is asked may
	// answer with a size of which the event is still to come, and which the window no longer has then.
	win.SetFramebufferSizeCallback(func(_ *glfw.Window, width, height int) {
		g := w.geometry
		g.size.Width, g.size.Height = width, height
		g.size.ScreenWidth, g.size.ScreenHeight = width, height
		if !pixelsAreScreen() {
			g.size.ScreenWidth, g.size.ScreenHeight = win.GetSize()
		}
		w.resized(g)
	})
	win.SetSizeCallback(func(_ *glfw.Window, width, height int) {
		g := w.geometry
		g.size.ScreenWidth, g.size.ScreenHeight = width, height
		g.size.Width, g.size.Height = width, height
		if !pixelsAreScreen() {
			g.size.Width, g.size.Height = win.GetFramebufferSize()
		}
		w.resized(g)
	})
	win.SetRefreshCallback(func(*glfw.Window) { w.Redraw() })
	win.SetCloseCallback(func(*glfw.Window) {
		win.SetShouldClose(false) // Run decides
		put(happening{kind: closeKind})
	})
	var g geometry
	g.size.Width, g.size.Height = win.GetFramebufferSize()
	g.size.ScreenWidth, g.size.ScreenHeight = win.GetSize()
	g.scaleX, g.scaleY = win.GetContentScale()
	w.setGeometry(g)
	w.minimized.Store(win.GetAttrib(glfw.Iconified) == glfw.True)
}

// pixelsAreScreen reports whether a screen coordinate is a pixel.
func pixelsAreScreen() bool { return glfw.GetPlatform() == glfw.PlatformX11 }

func (w *Win) setGeometry(g geometry) {
	w.geometry = g
	w.shared.mu.Lock()
	w.shared.geometry = g
	w.shared.mu.Unlock()
}

// resized puts a new size into the queue, once.
func (w *Win) resized(g geometry) {
	before := w.geometry.size
	w.setGeometry(g)
	if g.size != before {
		w.queue.put(happening{kind: resizeKind, resize: g.size})
		w.Redraw()
	}
}
