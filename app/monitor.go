package app

import (
	"errors"
	"image"
	"maps"
	"slices"

	"github.com/go-gl/glfw/v3.4/glfw"
)

var errNoMonitor = errors.New("app: the monitor is no longer connected; call app.Monitors")

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
	err = onMain(func() { all = describeAll() })
	return all, err
}

// describeAll and describe run on the main thread.
func describeAll() (all []*Monitor) {
	for _, m := range glfw.GetMonitors() {
		all = append(all, describe(m))
	}
	return all
}

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

// known are the monitors that have been reported; the main thread uses it.
var known []*Monitor

// listenToMonitors runs on the main thread after GLFW has been initialized, and so do the
// callbacks.
func listenToMonitors() {
	known = describeAll()
	glfw.SetMonitorCallback(func(m *glfw.Monitor, change glfw.PeripheralEvent) {
		_ = guarded(func() error { monitorChanged(m, change == glfw.Connected); return nil })
	})
}

func monitorChanged(m *glfw.Monitor, connected bool) {
	state.winMu.Lock()
	all := slices.Collect(maps.Keys(state.windows))
	state.winMu.Unlock()
	who := &Monitor{m: m}
	if connected {
		who = describe(m)
	} else if i := slices.IndexFunc(known, func(k *Monitor) bool { return *k.m == *m }); i >= 0 {
		who = known[i]
	}
	known = describeAll()
	for _, w := range all {
		if w.win == nil || w.destroyed {
			continue
		}
		if !connected && w.full != nil && *w.full == *m {
			w.window(w.before().near(glfw.GetMonitors()))
		}
		w.ticks.refresh.Store(refreshRate())
		w.thread.Go(w.reschedule)
		w.monitor(MonitorEvent{who, connected})
	}
}

// near returns p if its upper left corner is on a monitor, and otherwise a place on the first one.
func (p placement) near(monitors []*glfw.Monitor) placement {
	corner := image.Pt(p.x, p.y)
	for _, m := range monitors {
		if corner.In(describe(m).Bounds) {
			return p
		}
	}
	if len(monitors) > 0 {
		work := describe(monitors[0]).WorkArea
		p.x, p.y = work.Min.X, work.Min.Y
	}
	return p
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
