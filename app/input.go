package app

import "github.com/go-gl/glfw/v3.4/glfw"

// listen sets the callbacks of GLFW for the window. It runs on the main thread, and so do they.
func (w *Win) listen() {
	win, q := w.win, w.queue
	key := poster[KeyEvent](q)
	win.SetKeyCallback(func(_ *glfw.Window, k glfw.Key, code int, a glfw.Action,
		m glfw.ModifierKey) {
		key(KeyEvent{Key(k), code, Action(a), Mods(m)})
	})
	text := poster[TextEvent](q)
	win.SetCharCallback(func(_ *glfw.Window, r rune) { text(TextEvent{r}) })
	move := poster[MouseMoveEvent](q)
	var at MouseMoveEvent
	win.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) {
		at = MouseMoveEvent{x, y}
		move(at)
	})
	button := poster[MouseButtonEvent](q)
	win.SetMouseButtonCallback(func(_ *glfw.Window, b glfw.MouseButton, a glfw.Action,
		m glfw.ModifierKey) {
		button(MouseButtonEvent{MouseButton(b), Action(a), Mods(m), at.X, at.Y})
	})
	enter := poster[MouseEnterEvent](q)
	win.SetCursorEnterCallback(func(_ *glfw.Window, inside bool) { enter(MouseEnterEvent{inside}) })
	scroll := poster[ScrollEvent](q)
	win.SetScrollCallback(func(_ *glfw.Window, x, y float64) { scroll(ScrollEvent{x, y}) })
	drop := poster[DropEvent](q)
	win.SetDropCallback(func(_ *glfw.Window, paths []string) { drop(DropEvent{paths}) })
	place := poster[MoveEvent](q)
	win.SetPosCallback(func(_ *glfw.Window, x, y int) { place(MoveEvent{x, y}) })
	focus := poster[FocusEvent](q)
	win.SetFocusCallback(func(_ *glfw.Window, focused bool) { focus(FocusEvent{focused}) })
	state := poster[StateEvent](q)
	var is StateEvent
	win.SetIconifyCallback(func(_ *glfw.Window, minimized bool) {
		is.Minimized = minimized
		state(is)
		if w.minimized.Store(minimized); !minimized {
			w.request()
		}
	})
	win.SetMaximizeCallback(func(_ *glfw.Window, maximized bool) {
		is.Maximized = maximized
		state(is)
	})
	size := poster[ResizeEvent](q)
	resized := func(g geometry) {
		before := w.geometry.size
		w.setGeometry(g)
		if g.size != before {
			size(g.size)
			w.Redraw()
		}
	}
	scale := poster[ScaleEvent](q)
	win.SetContentScaleCallback(func(_ *glfw.Window, x, y float32) {
		scale(ScaleEvent{x, y})
		g := w.geometry
		g.scaleX, g.scaleY = x, y
		resized(g)
	})
	// A change of size comes by one of these or by both, in either order. What they report counts:
	// an X server that is asked may answer with a size of which the event is still to come, and
	// which the window no longer has then.
	win.SetFramebufferSizeCallback(func(_ *glfw.Window, width, height int) {
		g := w.geometry
		g.size = ResizeEvent{width, height, width, height}
		if !pixelsAreScreen() {
			g.size.ScreenWidth, g.size.ScreenHeight = win.GetSize()
		}
		resized(g)
	})
	win.SetSizeCallback(func(_ *glfw.Window, width, height int) {
		g := w.geometry
		g.size = ResizeEvent{width, height, width, height}
		if !pixelsAreScreen() {
			g.size.Width, g.size.Height = win.GetFramebufferSize()
		}
		resized(g)
	})
	win.SetRefreshCallback(func(*glfw.Window) { w.Redraw() })
	closed := poster[CloseEvent](q)
	win.SetCloseCallback(func(*glfw.Window) {
		win.SetShouldClose(false) // Run decides
		closed(CloseEvent{})
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
