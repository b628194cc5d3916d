package app

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// An Option changes how a window is made. It has the name of what it sets, without With, as in
// gioui.org/app: the package has no other functions with such names.
type Option func(*options)

type options struct {
	title         string
	width, height int
	major, minor  int
	hidden        bool
	onDemand      bool
	noVSync       bool
	noOpenGL      bool
	eventsOnDraw  bool
	rate          float64
	shares        bool
	share         *Window
	hints         func()
}

// most is the greatest width and height of a window.
const most = 1 << 14

// leastRate is the least frame rate but none.
const leastRate = 1e-3

func defaults() options {
	return options{title: "threadcall", width: 640, height: 480, major: 3, minor: 3}
}

// Title sets the title.
func Title(title string) Option { return func(o *options) { o.title = title } }

// Size sets the size of the content in screen coordinates: pixels, on some systems divided by the
// content scale of the display. The default is 640 by 480.
func Size(width, height int) Option {
	return func(o *options) {
		o.width, o.height = width, height
	}
}

// OpenGL sets the least version of the context. The default is 3.3. From 3.2 on it has the core
// profile.
func OpenGL(major, minor int) Option { return func(o *options) { o.major, o.minor = major, minor } }

// NoOpenGL makes a window without an OpenGL context, for Vulkan, WebGPU, Direct3D or Metal, which
// make a surface of [Window.GLFW]. The function of [Window.OnDraw] shows by itself what it draws; [Frame]
// has the size. If its presentation waits for the monitor, the program should add [NoVSync], or the
// package paces the frames, too. [Window.Screenshot] returns an error.
func NoOpenGL() Option { return func(o *options) { o.noOpenGL = true } }

// Share makes a window that shares textures, buffers, shaders and samplers with w. Framebuffers and
// vertex arrays are not shared. NewWindow waits until w's thread is between two frames, and returns
// an error if that takes five seconds.
//
// The other thread sees an object completely after [gl.Finish], or after [gl.Flush] and a wait for
// a fence, and must bind it again. Either window may be closed first; the shared objects end with
// the last.
func Share(w *Window) Option { return func(o *options) { o.shares, o.share = true, w } }

// EventsOnDraw delivers events on the window's thread, immediately before the function of
// [Window.OnDraw]. So the functions of OnEvent and OnDraw may use the same variables without a mutex,
// and a slow OnEvent delays frames.
//
// If no frame is due soon, because the window is [OnDemand] or minimized or has fewer than 20
// frames a second, events are delivered at once. They cause no frame; [Window.Redraw] does.
func EventsOnDraw() Option { return func(o *options) { o.eventsOnDraw = true } }

// Hidden makes a window that is not shown until [Window.Show].
func Hidden() Option { return func(o *options) { o.hidden = true } }

// OnDemand makes a window that is drawn only after [Window.Redraw], after a change of size, and when
// the system has lost what was drawn. Without it, frame follows frame.
func OnDemand() Option { return func(o *options) { o.onDemand = true } }

// NoVSync lets frames follow each other faster than the monitor shows them. Without it, drawing
// waits for the monitor; if the driver does not wait, the package does.
func NoVSync() Option { return func(o *options) { o.noVSync = true } }

// FrameRate limits the number of frames a second, also without vsync.
func FrameRate(n float64) Option { return func(o *options) { o.rate = n } }

// Hints runs set on the main thread, after the hints of the package and before GLFW makes the
// window. It sets by [glfw.WindowHint] what the package has no option for: the position, samples, a
// fixed size, no border, a debug context, sRGB. NewWindow returns an error for a hint that GLFW
// does not know.
//
//	app.Hints(func() { glfw.WindowHint(glfw.Samples, 4) })
func Hints(set func()) Option { return func(o *options) { o.hints = set } }

// lastOpenGL has the last minor version of each major one, from 1 on.
var lastOpenGL = [...]int{5, 1, 3, 6}

func (o options) check() error {
	bad := func(format string, args ...any) error { return fmt.Errorf("app: "+format, args...) }
	switch {
	case o.width < 1 || o.height < 1 || o.width > most || o.height > most:
		return bad("Size(%d, %d): a window is at least 1 and at most %d wide and high", o.width,
			o.height, most)
	case o.major < 1 || o.major > len(lastOpenGL) || o.minor < 0 || o.minor > lastOpenGL[o.major-1]:
		return bad("OpenGL(%d, %d): there is no such version; there are 1.0 to 1.5, 2.0, 2.1, "+
			"3.0 to 3.3 and 4.0 to 4.6", o.major, o.minor)
	case o.rate < 0 || math.IsNaN(o.rate) || math.IsInf(o.rate, 0):
		return bad("FrameRate(%v): a number of frames a second, or 0 for no limit", o.rate)
	case o.rate > 0 && o.rate < leastRate:
		return bad("FrameRate(%v): less than a frame in 1,000 seconds; use OnDemand", o.rate)
	case o.shares && o.share == nil:
		return bad("Share(nil): there is no window to share with")
	case o.share != nil && o.noOpenGL:
		return bad("Share with NoOpenGL: there is no context whose objects could be shared")
	case o.share != nil && o.share.opts.noOpenGL:
		return bad("Share with a window that was made with NoOpenGL, and has no context")
	}
	return nil
}

// settings are the options that may change while the window runs.
type settings struct {
	onDemand atomic.Bool
	noVSync  atomic.Bool
	rateBits atomic.Uint64
}

func (s *settings) init(o options) {
	s.onDemand.Store(o.onDemand)
	s.noVSync.Store(o.noVSync)
	s.setRate(o.rate)
}

// rate returns the limit of frames a second, or 0 for none.
func (s *settings) rate() float64 { return math.Float64frombits(s.rateBits.Load()) }

func (s *settings) setRate(n float64) { s.rateBits.Store(math.Float64bits(n)) }

// SetFrameRate changes the limit of [FrameRate], at once. Zero means no limit, and so does a
// negative or infinite rate; the lowest rate is a frame in 1,000 seconds.
func (w *Window) SetFrameRate(n float64) {
	if !(n > 0) || math.IsInf(n, 0) {
		n = 0
	} else {
		n = max(n, leastRate)
	}
	w.setRate(n)
	w.thread.Go(w.reschedule)
}

// SetVSync changes whether frames wait for the monitor; see [NoVSync].
func (w *Window) SetVSync(on bool) {
	w.noVSync.Store(!on)
	w.thread.Go(func() {
		w.setInterval()
		w.reschedule()
	})
}

// SetOnDemand changes whether frames are drawn only when they are requested; see [OnDemand].
func (w *Window) SetOnDemand(on bool) {
	w.onDemand.Store(on)
	if !on && w.life.Load() == running {
		w.schedule()
	}
}

// setInterval runs on the window's thread. With Wayland the driver must not wait for the monitor:
// it would do so for ever while the window is not visible.
func (w *Window) setInterval() {
	if w.opts.noOpenGL || w.stopped.Load() {
		return
	}
	_ = guarded(func() error {
		if w.noVSync.Load() || state.wayland.Load() {
			glfw.SwapInterval(0)
		} else {
			glfw.SwapInterval(1)
		}
		return nil
	})
}
