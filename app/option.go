package app

import (
	"errors"
	"fmt"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// An Option changes how a window is made. It has the name of what it sets, as in gioui.org/app.
type Option interface{ apply(*options) }

type option func(*options)

func (set option) apply(o *options) { set(o) }

type options struct {
	name          string // of the thread: window, or loader if NewContext makes it
	title         string
	width, height int
	api           api
	shares        bool
	share         *Window
	hidden        bool
	eventsOnDraw  bool
	pace          Pace
	hints         func()
}

// An api is the kind of context that a window has, and what loads the program's binding.
type api struct {
	client       int // glfw.NoAPI, glfw.OpenGLAPI or glfw.OpenGLESAPI
	major, minor int
	load         func() error
}

func (a api) none() bool { return a.client == glfw.NoAPI }

const most = 1 << 14

// Title sets the title.
func Title(title string) Option { return option(func(o *options) { o.title = title }) }

// Size sets the size of the content in screen coordinates: pixels, on some systems divided by the
// content scale of the display. The default is 640 by 480.
func Size(width, height int) Option {
	return option(func(o *options) { o.width, o.height = width, height })
}

// OpenGL makes a window with an OpenGL context, which is current on the window's thread. The
// context has at least the version major.minor, from 3.2 on with the core profile. load loads the
// binding that the program draws with, or is nil. It runs on the thread of the first window that is
// made with it, once in the process; a closure is another function each time that it is made:
//
//	app.OpenGL(3, 3, gl.Init) // of github.com/go-gl/gl/v3.3-core/gl
//
// Without OpenGL, OpenGLES and [Share], a window has no context, for Vulkan, WebGPU, Direct3D or
// Metal, which make a surface in [Window.Do]; then the function of [Window.OnDraw] shows by itself
// what it draws. If that waits for the monitor, set the [Unlimited] pace.
func OpenGL(major, minor int, load func() error) Option {
	return option(func(o *options) { o.api = api{glfw.OpenGLAPI, major, minor, load} })
}

// OpenGLES is [OpenGL] with a context of OpenGL ES. A binding that looks functions up by itself may
// look in the wrong library, so load should have GLFW do it:
//
//	func load() error { return gl.InitWithProcAddrFunc(glfw.GetProcAddress) }
//
// GLFW makes contexts of either kind by GLX, WGL or NSGL, or with Hints by EGL:
//
//	app.Hints(func() { glfw.WindowHint(glfw.ContextCreationAPI, glfw.EGLContextAPI) })
func OpenGLES(major, minor int, load func() error) Option {
	return option(func(o *options) { o.api = api{glfw.OpenGLESAPI, major, minor, load} })
}

// Share makes a window that shares textures, buffers, shaders and samplers with w. Framebuffers and
// vertex arrays are not shared. Its context is as w's, unless OpenGL or OpenGLES says otherwise.
// NewWindow waits until w's thread is between two frames, and fails after five seconds.
//
// The other thread sees an object completely after glFinish, or after glFlush and a wait for a
// fence, and must bind it again. Either window may be closed first; objects end with the last.
func Share(w *Window) Option { return option(func(o *options) { o.shares, o.share = true, w }) }

// EventsOnDraw delivers events on the window's thread, before the function of [Window.OnDraw]. So
// both may use the same variables without a mutex, and a slow OnEvent delays frames.
//
// If no frame is due soon, because the window is drawn [OnDemand] or minimized or has fewer than 20
// frames a second, events are delivered at once. They cause no frame; [Window.Redraw] does.
func EventsOnDraw() Option { return option(func(o *options) { o.eventsOnDraw = true }) }

// Hidden makes a window that is not shown until [Window.Show].
func Hidden() Option { return option(func(o *options) { o.hidden = true }) }

// Hints runs set on the main thread, after the hints of the package and before GLFW makes the
// window. It sets by [glfw.WindowHint] what the package has no option for: the position, samples, a
// fixed size, no border, a debug context, sRGB, EGL. Unknown hints are errors of NewWindow.
//
//	app.Hints(func() { glfw.WindowHint(glfw.Samples, 4) })
func Hints(set func()) Option { return option(func(o *options) { o.hints = set }) }

func (o *options) check() error {
	if o.width < 1 || o.height < 1 || o.width > most || o.height > most {
		return fmt.Errorf("app: Size(%d, %d): a window is at least 1 and at most %d wide and high",
			o.width, o.height, most)
	}
	if !o.shares {
		return nil
	}
	switch {
	case o.share == nil:
		return errors.New("app: Share(nil): there is no window to share with")
	case o.share.opts.api.none():
		return errors.New("app: Share with a window that has no context; it needs OpenGL or OpenGLES")
	case o.api.none():
		o.api = o.share.opts.api
	}
	return nil
}
