package app

// What the tests see of the inside.

// ID returns the window system's number of the window.
func (w *Win) ID() (id uint64) {
	_ = w.do(func() { id = nativeID(w.win) })
	return id
}

// Done is closed when the window is gone.
func (w *Win) Done() <-chan struct{} { return w.gone }
