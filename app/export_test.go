package app

// ID returns the number of the window in the X server.
func (w *Win) ID() (id uint64) {
	n, _ := w.Native()
	return uint64(n.Window)
}

// Done is closed when the window has been destroyed.
func (w *Win) Done() <-chan struct{} { return w.gone }
