package app

import (
	"fmt"
	"math"
)

// An Option changes how a window is made.
type Option func(*options)

type options struct {
	title         string
	width, height int
	major, minor  int
	samples       int
	fixed         bool
	hidden        bool
	bare          bool
	transparent   bool
	floating      bool
	onDemand      bool
	noVSync       bool
	rate          float64
	monitor       *Monitor
}

// most is the greatest width and height of a window.
const most = 1 << 14

func defaults() options {
	return options{title: "threadcall", width: 640, height: 480, major: 3, minor: 3}
}

// Title sets the title.
func Title(title string) Option { return func(o *options) { o.title = title } }

// Size sets the size of the content, in screen coordinates: pixels, but on some systems fewer if the display has a content
// scale. The default is 640 by 480.
func Size(width, height int) Option { return func(o *options) { o.width, o.height = width, height } }

// OpenGL sets the least version that the context must have. The default is 3.3. From 3.2 on it has the core profile.
func OpenGL(major, minor int) Option { return func(o *options) { o.major, o.minor = major, minor } }

// Samples sets the number of samples a pixel, for smooth edges; the window gets what the system has that comes closest.
// The default is none.
func Samples(n int) Option { return func(o *options) { o.samples = n } }

// FixedSize keeps the user from resizing the window.
func FixedSize() Option { return func(o *options) { o.fixed = true } }

// Hidden makes a window that is not shown until [Win.Show].
func Hidden() Option { return func(o *options) { o.hidden = true } }

// Undecorated makes a window without border and title.
func Undecorated() Option { return func(o *options) { o.bare = true } }

// Transparent makes a window that is transparent where the alpha of its pixels is less than one, if the system can.
func Transparent() Option { return func(o *options) { o.transparent = true } }

// Floating keeps the window above others.
func Floating() Option { return func(o *options) { o.floating = true } }

// Fullscreen makes a window that covers m, in the mode that m has.
func Fullscreen(m *Monitor) Option { return func(o *options) { o.monitor = m } }

// OnDemand makes a window that is drawn only when [Win.Redraw] is called, when it has been resized, and when the system
// has lost what was drawn. Without it, frame follows frame.
func OnDemand() Option { return func(o *options) { o.onDemand = true } }

// NoVSync lets frames follow each other faster than the monitor shows them. Without it, drawing waits for the monitor; if
// the driver does not wait, the package does.
func NoVSync() Option { return func(o *options) { o.noVSync = true } }

// FrameRate sets how many frames a second there are at the most, also without vsync.
func FrameRate(n float64) Option { return func(o *options) { o.rate = n } }

// lastOpenGL has the last minor version of each major one, from 1 on.
var lastOpenGL = [...]int{5, 1, 3, 6}

func (o options) check() error {
	bad := func(format string, args ...any) error { return fmt.Errorf("app: "+format, args...) }
	switch {
	case o.width < 1 || o.height < 1 || o.width > most || o.height > most:
		return bad("Size(%d, %d): a window is at least 1 and at most %d wide and high", o.width, o.height, most)
	case o.major < 1 || o.major > len(lastOpenGL) || o.minor < 0 || o.minor > lastOpenGL[o.major-1]:
		return bad("OpenGL(%d, %d): there is no such version; there are 1.0 to 1.5, 2.0, 2.1, 3.0 to 3.3 and 4.0 to 4.6", o.major, o.minor)
	case o.samples < 0 || o.samples > 64:
		return bad("Samples(%d): between 0 and 64", o.samples)
	case o.rate < 0 || math.IsNaN(o.rate) || math.IsInf(o.rate, 0):
		return bad("FrameRate(%v): a number of frames a second, or 0 for no limit", o.rate)
	case o.rate > 0 && o.rate < 1e-3:
		return bad("FrameRate(%v): less than a frame in 1,000 seconds; use OnDemand", o.rate)
	}
	return nil
}
