package app

// ID returns the number of the window in the X server, or 0 without one.
func (w *Win) ID() uint64 {
	if n, _ := w.Native(); n.Platform == PlatformX11 {
		return uint64(n.Window)
	}
	return 0
}

// Done is closed when the window has been destroyed.
func (w *Win) Done() <-chan struct{} { return w.gone }

// Frames returns how many frames there have been, on the window's thread.
func (w *Win) Frames() int64 { return int64(w.frame.Number) }

// ReadEvents reads what the X server has sent, as a thread that waits for a reply, and leaves it to
// the main thread.
func ReadEvents() { eventsQueued() }
