package app

import (
	"errors"
	"image"

	"github.com/go-gl/glfw/v3.4/glfw"
)

var errNoMonitor = errors.New("app: the monitor is no longer connected; app.Monitors returns those that are")

// A Monitor is a screen, as it was when Monitors was called.
type Monitor struct {
	Name           string
	Bounds         image.Rectangle // on the desktop, in screen coordinates
	WorkArea       image.Rectangle // without task bars
	Millimetres    image.Point     // its size, or zero if the system does not know
	ScaleX, ScaleY float32         // by how much to scale text and images
	Mode           VideoMode
	Modes          []VideoMode // all, the smallest first
	m              *glfw.Monitor
}

// A VideoMode is a resolution and refresh rate of a monitor.
type VideoMode struct {
	Width, Height int // in screen coordinates
	RefreshRate   int // pictures a second
}

// Monitors returns the monitors, the primary one first.
func Monitors() (all []*Monitor, err error) {
	err = onMain(func() {
		for _, m := range glfw.GetMonitors() {
			all = append(all, describe(m))
		}
	})
	return all, err
}

// describe runs on the main thread.
func describe(m *glfw.Monitor) *Monitor {
	d := &Monitor{Name: m.GetName(), m: m}
	if mode := m.GetVideoMode(); mode != nil {
		d.Mode = VideoMode{mode.Width, mode.Height, mode.RefreshRate}
	}
	x, y := m.GetPos()
	d.Bounds = image.Rect(x, y, x+d.Mode.Width, y+d.Mode.Height)
	x, y, width, height := m.GetWorkarea()
	d.WorkArea = image.Rect(x, y, x+width, y+height)
	d.Millimetres.X, d.Millimetres.Y = m.GetPhysicalSize()
	d.ScaleX, d.ScaleY = m.GetContentScale()
	for _, mode := range m.GetVideoModes() {
		d.Modes = append(d.Modes, VideoMode{mode.Width, mode.Height, mode.RefreshRate})
	}
	return d
}

// connected returns whether m is still there. It runs on the main thread.
func connected(m *Monitor) bool {
	for _, other := range glfw.GetMonitors() {
		if m.m != nil && *other == *m.m {
			return true
		}
	}
	return false
}
