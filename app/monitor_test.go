package app_test

import (
	"image"
	"testing"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
)

// plug connects the monitor of the X server, or disconnects it.
func plug(t *testing.T) func(in bool) {
	t.Helper()
	if x.Conn == nil {
		t.Skip("monitors are connected by an X server")
	}
	screen.Must(t, randr.Init(x.Conn))
	all, err := randr.GetScreenResourcesCurrent(x.Conn, x.Root).Reply()
	screen.Must(t, err)
	was, err := randr.GetCrtcInfo(x.Conn, all.Crtcs[0], xproto.TimeCurrentTime).Reply()
	screen.Must(t, err)
	return func(in bool) {
		mode, outputs := was.Mode, was.Outputs
		if !in {
			mode, outputs = 0, nil
		}
		r, err := randr.SetCrtcConfig(x.Conn, all.Crtcs[0], xproto.TimeCurrentTime,
			all.ConfigTimestamp,
			was.X, was.Y, mode, was.Rotation, outputs).Reply()
		screen.Must(t, err)
		if r.Status != 0 {
			t.Fatalf("the X server refuses to change the monitor: %d", r.Status)
		}
	}
}

// Each window receives an event when a monitor goes or comes, Monitors has changed by then, and a
// window that covers the monitor becomes as it was before.
func TestMonitors_plug(t *testing.T) {
	set := plug(t)
	begin(t)
	monitors, err := app.Monitors()
	screen.Must(t, err)
	full, _ := show(t)
	full.SetPosition(30, 40)
	testutil.Eventually(t, func() bool { px, py := full.Position(); return px == 30 && py == 40 },
		"the place")
	screen.Must(t, full.Fullscreen(monitors[0]))
	size := func() image.Point { width, height := full.Size(); return image.Pt(width, height) }
	testutil.Eventually(t, func() bool { return size().X == monitors[0].Mode.Width },
		"the full screen")
	other, _ := show(t, app.OnDemand(), app.EventsOnDraw())
	for range 3 {
		r := listen(full, nil)
		count := make(chan int, 2)
		other.OnEvent(func(e app.Event) {
			if _, ok := e.(*app.MonitorEvent); ok {
				all, err := app.Monitors()
				if err != nil {
					t.Error(err)
				}
				count <- len(all)
			}
		})
		set(false)
		comes(t, r, func(e app.MonitorEvent) bool {
			return !e.Connected && e.Monitor.Name == monitors[0].Name &&
				e.Monitor.Bounds == monitors[0].Bounds
		})
		if n := <-count; n != len(monitors)-1 {
			t.Errorf("%d monitors after one of %d has gone", n, len(monitors))
		}
		testutil.Eventually(t, func() bool {
			px, py := full.Position()
			return size() == image.Pt(200, 150) && px == 30 && py == 40
		},
			"the window as it was")
		if err := full.Fullscreen(monitors[0]); err == nil {
			t.Error("Fullscreen on a monitor that is not connected")
		}
		set(true)
		comes(t, r, func(e app.MonitorEvent) bool {
			return e.Connected && e.Monitor.Name == monitors[0].Name
		})
		if n := <-count; n != len(monitors) {
			t.Errorf("%d monitors, want %d", n, len(monitors))
		}
		monitors, err = app.Monitors()
		screen.Must(t, err)
		screen.Must(t, full.Fullscreen(monitors[0]))
		testutil.Eventually(t, func() bool { return size().X == monitors[0].Mode.Width },
			"the full screen")
	}
}
