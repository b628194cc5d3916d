package app

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// ErrNoDisplay is wrapped if there is no screen for a window.
var ErrNoDisplay = errors.New("app: no display")

// ErrNoOpenGL is wrapped if the system does not have OpenGL, or not the requested version.
var ErrNoOpenGL = errors.New("app: no OpenGL as asked for")

// guarded returns the panics by which the GLFW binding reports errors. The binding keeps the last
// error of all threads in one variable, and panics in the next to call it, on any thread.
func guarded(f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *glfw.Error:
			err = v
		default:
			panic(v)
		}
	}()
	f()
	return nil
}

// lastError returns the calling thread's last error, which GLFW keeps besides, and clears it.
func lastError() error {
	if code, what := glfw.GetError(); code != glfw.NoError {
		return &glfw.Error{Code: code, Desc: what}
	}
	return nil
}

// windowError adds to an error of glfw.CreateWindow what to do about it.
func windowError(err error, a api) error {
	var e *glfw.Error
	if !errors.As(err, &e) || e.Code != glfw.VersionUnavailable && e.Code != glfw.APIUnavailable &&
		e.Code != glfw.FormatUnavailable && !strings.Contains(e.Desc, "GLX") {
		return fmt.Errorf("app: cannot create the window: %w", err)
	}
	advice := "install a newer driver for the graphics card"
	if usesX11() {
		advice = "install Mesa (Debian package libgl1-mesa-dri); an X server must have the GLX " +
			"extension"
	}
	return fmt.Errorf("%w: version %d.%d: %s; ask for an older one or for fewer samples, or %s",
		ErrNoOpenGL, a.major, a.minor, e.Desc, advice)
}

// A failure is a panic or a Goexit in a function of the program on the window's thread.
type failure struct {
	in    string // the method to which the function was given
	value any    // nil for a Goexit
	stack []byte
}

// check calls f, which calls functions of the program, on the window's thread. If one panics or
// calls Goexit, the window stops, and Run ends with the first failure.
func (w *Window) check(f func()) {
	completed := false
	defer func() {
		if !completed {
			w.failed.CompareAndSwap(nil,
				&failure{in: w.inside, value: recover(), stack: debug.Stack()})
			w.Stop()
		}
	}()
	f()
	completed = true
}

// raise panics or calls Goexit in the caller of Run, as the function has.
func (f *failure) raise() {
	if f.value == nil {
		runtime.Goexit()
	}
	defer func() { panic(f.value) }()
	panic(&windowPanic{f}) // for the report of a crash; recover returns the value
}

type windowPanic struct{ *failure }

func (p *windowPanic) Error() string {
	return "the function given to " + p.in + " panicked:\n" + string(p.stack)
}
