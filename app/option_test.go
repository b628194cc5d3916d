package app_test

import (
	"testing"

	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
)

func TestPosition(t *testing.T) {
	w, _ := show(t, app.Position(321, 123))
	if px, py := w.Position(); px != 321 || py != 123 {
		t.Errorf("the window is at %d, %d", px, py)
	}
}

// With two pixels where there is usually one, a window has twice the size, if it is to be scaled.
func TestScaleToMonitor(t *testing.T) {
	app.Terminate() // GLFW reads the scale at Init
	atom := x.Atom(t, "RESOURCE_MANAGER")
	const scale = "Xft.dpi:\t192\n"
	screen.Must(t, xproto.ChangePropertyChecked(x.Conn, xproto.PropModeReplace, x.Root, atom,
		xproto.AtomString, 8,
		uint32(len(scale)), []byte(scale)).Check())
	defer func() {
		app.Terminate()
		screen.Must(t, xproto.DeletePropertyChecked(x.Conn, x.Root, atom).Check())
	}()
	for _, c := range []struct {
		opts  []app.Option
		width int
	}{
		{nil, 200},
		{[]app.Option{app.ScaleToMonitor()}, 400},
	} {
		w := open(t, c.opts...)
		frames := make(chan app.Frame, 1)
		w.OnDraw(func(f *app.Frame) {
			select {
			case frames <- *f:
			default:
			}
			w.Stop()
		})
		w.Run()
		if f := <-frames; f.ScaleX != 2 || f.ScaleY != 2 || f.Width != c.width {
			t.Errorf("with %d options: width %d, scale %v, %v", len(c.opts), f.Width, f.ScaleX,
				f.ScaleY)
		}
	}
}
