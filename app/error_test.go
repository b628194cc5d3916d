package app_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

func TestNewWindow_namesTheWrongOption(t *testing.T) {
	closed, bare := open(t), openBare(t)
	closed.Stop()
	closed.Run()
	for _, test := range []struct {
		opt  app.Option
		want string // in the error
	}{
		{app.Size(0, 10), "Size(0, 10)"},
		{app.Size(10, -1), "Size(10, -1)"},
		{app.Size(1<<20, 1), "Size(1048576, 1)"},
		{app.OpenGL(0, 0, nil), "0.0"},
		{app.OpenGL(3, -1, nil), "3.-1"},
		{app.OpenGL(10, 0, nil), "10.0"},
		{app.OpenGL(2, 7, nil), "2.7"},
		{app.OpenGL(3, 4, nil), "3.4"},
		{app.OpenGL(4, 7, nil), "4.7"},
		{app.OpenGL(5, 0, nil), "5.0"},
		{app.OpenGLES(4, 0, nil), "4.0"},
		{app.OpenGL(3, 3, func() error { return errTest }), errTest.Error()},
		{app.Share(closed), "closed"},
		{app.Share(bare), "no context"},
		{app.Share(nil), "Share(nil)"},
	} {
		w, err := app.NewWindow(test.opt)
		if w != nil || err == nil || !strings.Contains(err.Error(), test.want) ||
			errors.Is(err, app.ErrClosed) != (test.want == "closed") {
			t.Errorf("got %v, %v, want an error with %q in it", w, err, test.want)
		}
	}
	_, err := app.NewWindow(nil, app.Hidden(), nil)
	screen.Must(t, err)
}

// The binding keeps one error for all threads: it must reach the call that has caused it, and no
// other.
func TestErrNoOpenGL_reachesTheCallThatCausedIt(t *testing.T) {
	_, c := show(t, app.Unlimited)
	_, d := show(t, app.Unlimited)
	for range 20 { // the binding writes a line for each that it has taken elsewhere
		_, err := app.NewWindow(app.OpenGL(4, 6, nil)) // Mesa's limit is 3.3 here, see TestMain
		if !errors.Is(err, app.ErrNoOpenGL) || !strings.Contains(err.Error(), "4.6") {
			t.Errorf("OpenGL 4.6: %v", err)
		}
	}
	c.goesOn(t, 3, "frames after errors of other windows")
	d.goesOn(t, 3, "frames after errors of other windows")
}

func TestInit_namesWhatTheSystemLacks(t *testing.T) {
	bare, err := screen.Start("-extension", "GLX")
	if runtime.GOOS == "windows" {
		t.Skip("windows do not use X11 here")
	}
	screen.Must(t, err)
	defer bare.Conn.Close()
	for _, test := range []struct {
		name, program, env string
		want               []string
	}{
		{"no display but one of Wayland that does not answer", "window",
			"DISPLAY= WAYLAND_DISPLAY=wayland-987",
			[]string{"no display: true", "WAYLAND_DISPLAY=wayland-987 does not answer",
				"DISPLAY is not set"}},
		{"X11 and a session of Wayland that has ended", "window",
			"WAYLAND_DISPLAY=wayland-987 XDG_SESSION_TYPE=wayland", []string{"error: <nil>"}},
		{"no display", "window", "DISPLAY=", []string{"no display: true", "DISPLAY is not set",
			"xvfb"}},
		{"a display that does not answer", "window", "DISPLAY=:987",
			[]string{"no display: true", ":987", "xauth"}},
		{"a display that is none", "window", "DISPLAY=nonsense",
			[]string{"no display: true", "nonsense"}},
		{"no GLX", "window", "DISPLAY=" + bare.Display,
			[]string{"no OpenGL: true", "libgl1-mesa-dri", "GLX extension"}},
		{"Init after the end", "init after main", "", []string{"has returned"}},
		{"no driver", "window", "LIBGL_DRIVERS_PATH=/nowhere",
			[]string{"no OpenGL: true", "libgl1-mesa-dri"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, status := testutil.Program(t, test.program, strings.Fields(test.env)...)
			if status != 0 {
				t.Errorf("status %d", status)
			}
			for _, want := range test.want {
				// the second attempt fails in the same way
				if n := strings.Count(out, want); n < 2 {
					t.Errorf("%q is there %d times, want twice:\n%s", want, n, out)
				}
			}
		})
	}
}

func report(err error) {
	fmt.Printf("error: %v\nno display: %v\nno OpenGL: %v\n", err, errors.Is(err, app.ErrNoDisplay),
		errors.Is(err, app.ErrNoOpenGL))
}

// windowAndReport reports how NewWindow ends, or Init if that fails, and again.
func windowAndReport() {
	mainthread.Init(func() {
		for range 2 {
			err := app.Init()
			if err == nil {
				_, err = app.NewWindow(openGL)
			}
			report(err)
		}
		app.Terminate()
	})
}

// The go command names what is missing when it compiles the program without cgo.
func TestBuild_namesTheMissingCompiler(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	build := exec.Command("go", "build", "-o", os.DevNull, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err == nil || !strings.Contains(string(out),
		"app/internal/needs_a_C_compiler: build constraints exclude all Go files") {
		t.Errorf("%v\n%s", err, out)
	}
}

// An ending is how a program ends that runs a function.
type ending[F any] struct {
	run    F
	status int
	want   string // in what the program writes
	not    string // which is not there, but in the report of a crash
}

// endings are those of programs that call Init, most of them without Terminate.
var endings = map[string]ending[func()]{
	"it returns": {
		func() {},
		0, "main goes on", "app:",
	},
	"it returns, and windows are open": {
		func() { openWindow(); <-drawing(func() {}) },
		0, "while windows were open (2)", "goroutine",
	},
	"it returns, and OnDraw does not": {
		func() { <-drawing(func() { select {} }) },
		0, "main goes on", "goroutine",
	},
	"it terminates and returns": {
		func() { <-drawing(func() {}); openWindow().Stop(); app.Terminate() },
		0, "main goes on", "app:",
	},
	"OnDraw does not return": {
		func() {
			w, drawn, all := openWindow(), make(chan struct{}), sync.WaitGroup{}
			w.OnDraw(func(*app.Frame) { close(drawn); select {} })
			go func() {
				<-drawn
				for _, stop := range []func(){func() {}, w.Stop} { // they wait, and then are refused
					all.Go(func() { refused(w.Thread().Call(func() {})) })
					all.Go(func() { _, err := app.NewWindow(app.Share(w)); refused(err == nil) })
					all.Go(func() { _, err := w.Screenshot(); refused(err == nil) })
					stop()
				}
			}()
			w.Run()
			refused(w.Thread().Call(func() {}) || w.Thread().Go(func() {}))
			_, err := app.NewWindow(app.Share(w))
			refused(err == nil)
			all.Wait()
			app.Terminate()
			must(app.Init())
			<-drawing(func() {})
			app.Terminate()
		},
		0, "not destroyed\nmain goes on", "goroutine",
	},
	"it calls Goexit": {
		func() { <-drawing(func() {}); runtime.Goexit() },
		0, "main goes on", "goroutine",
	},
	"it panics": {
		func() { <-drawing(func() {}); panic("a panic of run") },
		2, "a panic of run", "main goes on",
	},
	"OnDraw panics": { // the report of the crash shows where
		func() { w := openWindow(); w.OnDraw(func(*app.Frame) { aPlaceToPanic() }); w.Run() },
		2, "aPlaceToPanic", "main goes on",
	},
	// it ends the caller, and the event loop goes on; a test binary then ends with status 2
	"the main thread calls Goexit": {
		goexitOnMainThread,
		2, "the loop goes on\nthreadcall: a function on the main thread has called", "goroutine 1 [",
	},
}

// mains are those of programs that call Main.
var mains = map[string]ending[func() error]{
	"run returns": {
		func() error { <-drawing(func() {}); return nil },
		0, "main goes on", "app",
	},
	"run returns an error": {
		func() error { <-drawing(func() {}); return errTest },
		1, ": a value of its own\n", "main goes on",
	},
	"run waits for the windows": {
		func() error {
			var open atomic.Int32
			for range 3 {
				w := openWindow()
				open.Add(1)
				w.OnClose(func() { open.Add(-1) })
				w.OnDraw(func(*app.Frame) { w.Stop() })
				go w.Run()
			}
			app.Wait()
			if n := open.Load(); n > 0 {
				return fmt.Errorf("%d windows are open", n)
			}
			return nil
		},
		0, "main goes on", "open",
	},
	"run calls Goexit": {
		func() error { runtime.Goexit(); return errTest },
		0, "main goes on", "value",
	},
	"run panics": {
		func() error { panic(errTest) },
		2, "a value of its own", "main goes on",
	},
}

func init() {
	for name, main := range mains {
		programs[name] = func() {
			app.Main(main.run)
			println("main goes on")
		}
	}
	for name, ending := range endings {
		programs[name] = func() {
			mainthread.Init(func() {
				must(app.Init())
				ending.run()
			})
			println("main goes on")
		}
	}
	programs["init after main"] = func() {
		mainthread.Init(func() {})
		done := make(chan error)
		go func() { done <- app.Init() }()
		err := <-done
		report(err)
		report(err)
	}
}

func refused(taken bool) {
	if taken {
		panic("a window that is given up has taken a function")
	}
}

func aPlaceToPanic() { panic(errTest) }

func goexitOnMainThread() {
	for i := range 20 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			mainthread.Call(func() {
				if i%2 == 0 {
					mainthread.Call(runtime.Goexit)
				}
				runtime.Goexit()
			})
			panic("a Goexit did not reach its caller")
		}()
		<-done
		mainthread.Go(runtime.Goexit)
		time.Sleep(time.Duration(i) * time.Millisecond)
		_, err := app.Clipboard()
		must(err)
	}
	app.Terminate()
	println("the loop goes on")
}

func openWindow() *app.Window {
	w, err := app.NewWindow(openGL, app.Size(200, 150))
	must(err)
	return w
}

// drawing opens a window and runs it on a goroutine. It returns a channel that receives when a
// frame has begun, and then calls f.
func drawing(f func()) <-chan struct{} {
	drawn := make(chan struct{})
	w := openWindow()
	w.OnDraw(func(*app.Frame) {
		gl.Clear(gl.COLOR_BUFFER_BIT)
		select {
		case drawn <- struct{}{}:
			f()
		default:
		}
	})
	go w.Run()
	return drawn
}

func TestMain_printsTheErrorAndExitsWithStatus1(t *testing.T) {
	out, status := testutil.Program(t, "run returns", "DISPLAY=", "WAYLAND_DISPLAY=")
	if runtime.GOOS != "windows" && (status != 1 || !strings.Contains(out, "DISPLAY is not set")) {
		t.Errorf("without a display: status %d:\n%s", status, out)
	}
	endAs(t, mains)
}

func TestInit_endsProgramsWithOpenWindows(t *testing.T) { endAs(t, endings) }

func endAs[F any](t *testing.T, programs map[string]ending[F]) {
	for name, ending := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, status := testutil.Program(t, name)
			if status != ending.status || !strings.Contains(out, ending.want) ||
				strings.Contains(out, ending.not) && status != 2 {
				t.Errorf("status %d, want %d, %q, and not %q:\n%s", status, ending.status,
					ending.want, ending.not, out)
			}
		})
	}
}
