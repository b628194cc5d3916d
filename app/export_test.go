package app

import "reflect"

// ID returns the number of the window in the X server, or 0 without one.
func (w *Win) ID() (id uint64) {
	if !usesX11() {
		return 0
	}
	_ = w.do(func() { id = reflect.ValueOf(w.win).MethodByName("GetX11Window").Call(nil)[0].Uint() })
	return id
}

// Done is closed when the window has been destroyed.
func (w *Win) Done() <-chan struct{} { return w.gone }
