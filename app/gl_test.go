package app_test

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// A binding of a program's own, which has the functions of the context for which it is loaded.
var own struct {
	clearColor func(r, g, b, a float32)
	clear      func(mask uint32)
	getString  func(name uint32) *byte
}

func loadOwn() error {
	for name, f := range map[string]any{"glClearColor": &own.clearColor, "glClear": &own.clear,
		"glGetString": &own.getString} {
		address := glfw.GetProcAddress(name)
		if address == nil {
			return errors.New("no " + name)
		}
		purego.RegisterFunc(f, uintptr(address))
	}
	return nil
}

var egl = app.Hints(func() { glfw.WindowHint(glfw.ContextCreationAPI, glfw.EGLContextAPI) })

// contexts are what programs may ask for, each tried in a process of its own, whose driver has all
// that it can have.
var contexts = map[string]struct {
	opts []app.Option
	want string // the beginning of the version
}{
	"OpenGL 4.5":           {[]app.Option{app.OpenGL(4, 5, loadOwn)}, "4."},
	"OpenGL 4.6":           {[]app.Option{app.OpenGL(4, 6, loadOwn)}, "4.6"},
	"OpenGL 2.1":           {[]app.Option{app.OpenGL(2, 1, loadOwn)}, ""},
	"OpenGL 3.3 by EGL":    {[]app.Option{app.OpenGL(3, 3, loadOwn), egl}, ""},
	"OpenGL ES 2.0":        {[]app.Option{app.OpenGLES(2, 0, loadOwn)}, "OpenGL ES "},
	"OpenGL ES 3.0 by EGL": {[]app.Option{app.OpenGLES(3, 0, loadOwn), egl}, "OpenGL ES 3."},
	"OpenGL ES 2.0 by EGL": {[]app.Option{app.OpenGLES(2, 0, loadOwn), egl}, "OpenGL ES "},
}

func init() {
	for name, c := range contexts {
		programs[name] = func() {
			app.Main(func() error {
				w, err := app.NewWindow(append(c.opts, app.Size(120, 80))...)
				if errors.Is(err, app.ErrNoOpenGL) {
					fmt.Println("NOT TESTED:", err)
					return nil
				}
				must(err)
				w.OnDraw(func(*app.Frame) {
					own.clearColor(0.2, 0.4, 0.6, 1)
					own.clear(gl.COLOR_BUFFER_BIT)
				})
				go w.Run()
				p, err := w.Screenshot()
				must(err)
				loader, err := app.NewContext(w)
				must(err)
				for _, version := range []func() *byte{
					func() (v *byte) { w.Thread().Call(func() { v = own.getString(gl.VERSION) }); return v },
					func() (v *byte) { loader.Call(func() { v = own.getString(gl.VERSION) }); return v },
				} {
					fmt.Printf("version %s\n", gl.GoStr(version()))
				}
				fmt.Println(p.Rect.Max, p.NRGBAAt(0, 0), p.NRGBAAt(119, 79))
				return nil
			})
		}
	}
}

func TestOpenGL_hasTheContextAndTheBindingOfTheProgram(t *testing.T) {
	if x.Conn == nil {
		t.Skip("the driver is that of Windows here")
	}
	t.Setenv("MESA_GL_VERSION_OVERRIDE", "4.6")
	for name, c := range contexts {
		t.Run(name, func(t *testing.T) {
			out, status := testutil.Program(t, name)
			if strings.Contains(out, "NOT TESTED: ") {
				t.Skip(out)
			}
			if status != 0 || strings.Count(out, "version "+c.want) != 2 ||
				!strings.Contains(out, "(120,80) {51 102 153 255} {51 102 153 255}") {
				t.Errorf("status %d, want version %q twice:\n%s", status, c.want, out)
			}
		})
	}
}

// The binding of a program is loaded once, although windows have threads of their own, and that of
// a window by a closure for each.
func TestOpenGL_loadsTheBindingOnce(t *testing.T) {
	var n [2]int
	load := func(i int) func() error { return func() error { n[i]++; return nil } }
	once := load(0)
	for range 3 {
		open(t, app.OpenGL(3, 3, once), app.Hidden())
		open(t, app.OpenGL(3, 3, load(1)), app.Hidden())
	}
	if n != [2]int{1, 3} {
		t.Errorf("they have been loaded %v times", n)
	}
}

// A loader's thread makes what a window shows, and ends by itself, with the package, or not at all
// if its window is closed.
func TestNewContext_loadsForAWindow(t *testing.T) {
	w := open(t)
	loader, err := app.NewContext(w)
	screen.Must(t, err)
	var made uint32
	loader.Call(func() { made = texture() })
	w.OnDraw(func(f *app.Frame) { paste(f, made) })
	run(t, w)
	size := image.Pt(200, 150)
	shoot(t, w, size)
	windows := func() (n int) {
		mainthread.Call(func() { n = app.Windows() })
		return n
	}
	if n := windows(); n != 2 {
		t.Errorf("%d windows of GLFW, want 2", n)
	}
	loader.Close()
	testutil.Eventually(t, func() bool { return windows() == 1 }, "the end of the context")
	shoot(t, w, size)
	second, err := app.NewContext(w)
	screen.Must(t, err)
	w.Stop()
	testutil.Ends(t, app.Wait) // which does not wait for a context
	second.Call(func() {
		if gl.GetString(gl.VERSION) == nil {
			t.Error("the context has ended with its window")
		}
	})
	app.Terminate()
	if second.Call(func() {}) {
		t.Error("the thread outlives Terminate")
	}
	if _, err := app.NewContext(w); !errors.Is(err, app.ErrClosed) {
		t.Errorf("of a closed window: %v", err)
	}
	if _, err := app.NewContext(nil); err == nil {
		t.Error("of no window")
	}
}
