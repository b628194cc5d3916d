package app_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

func TestBadOptions(t *testing.T) {
	begin(t)
	for _, test := range []struct {
		opt  app.Option
		want string
	}{
		{app.Size(0, 10), "Size(0, 10)"},
		{app.Size(10, -1), "Size(10, -1)"},
		{app.Size(1<<20, 1), "Size(1048576, 1)"},
		{app.OpenGL(0, 0), "OpenGL(0, 0)"},
		{app.OpenGL(3, -1), "OpenGL(3, -1)"},
		{app.OpenGL(10, 0), "OpenGL(10, 0)"},
		{app.OpenGL(2, 7), "OpenGL(2, 7)"},
		{app.Samples(-1), "Samples(-1)"},
		{app.Samples(1000), "Samples(1000)"},
		{app.FrameRate(-1), "FrameRate(-1)"},
		{app.FrameRate(math.NaN()), "FrameRate(NaN)"},
		{app.FrameRate(math.Inf(1)), "FrameRate(+Inf)"},
		{app.FrameRate(1e-9), "OnDemand"},
		{app.Fullscreen(&app.Monitor{}), "no longer connected"},
	} {
		w, err := app.NewWindow(test.opt)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want an error that contains %q", err, test.want)
		}
		if w != nil {
			t.Errorf("a window in spite of %v", err)
		}
	}
	if _, err := app.NewWindow(nil, app.Hidden(), nil); err != nil {
		t.Errorf("nil options: %v", err)
	}
}

func TestAnOpenGLThatDoesNotExist(t *testing.T) {
	begin(t)
	for range 3 {
		_, err := app.NewWindow(app.OpenGL(9, 9))
		if !errors.Is(err, app.ErrNoOpenGL) || !strings.Contains(err.Error(), "9.9") ||
			!strings.Contains(err.Error(), "app.OpenGL") {
			t.Errorf("OpenGL 9.9: %v", err)
		}
	}
}

// The binding keeps one error for all threads: it must reach the one who made it, and nobody else.
func TestErrorsDoNotReachOthers(t *testing.T) {
	_, c := show(t, app.NoVSync())
	_, d := show(t, app.NoVSync())
	ends(t, func() {
		for range 20 { // the binding writes a line for each that it has taken elsewhere
			if _, err := app.NewWindow(app.OpenGL(9, 9)); !errors.Is(err, app.ErrNoOpenGL) {
				t.Errorf("OpenGL 9.9: %v", err)
			}
		}
	})
	c.goesOn(t, 3, "frames beside errors of others")
	d.goesOn(t, 3, "frames beside errors of others")
}

// More samples than any system has are not an error: the window gets what there is.
func TestMoreSamplesThanThereAre(t *testing.T) {
	w := open(t, app.Samples(64))
	w.OnDraw(quarters)
	run(t, w)
	if p, err := w.Screenshot(); err != nil || cornersOf(p) != corners {
		t.Errorf("%v, %v", cornersOf(p), err)
	}
}

// What a program of these tests tells of an error.
func tell(err error) {
	fmt.Printf("error: %v\nno display: %v\nno OpenGL: %v\n", err, errors.Is(err, app.ErrNoDisplay),
		errors.Is(err, app.ErrNoOpenGL))
}

func initAndTellError() {
	mainthread.Init(func() {
		for range 2 { // a failure leaves nothing behind that the next attempt would fall over
			tell(app.Init())
		}
		app.Terminate()
	})
}

func newWindowAndTellError() {
	mainthread.Init(func() {
		if err := app.Init(); err != nil {
			tell(err)
			return
		}
		defer app.Terminate()
		for range 2 {
			_, err := app.NewWindow()
			tell(err)
		}
	})
}

// initWithoutHost shows what becomes of Init when nobody serves the main thread any longer.
func initWithoutHost() {
	done := make(chan error)
	mainthread.Init(func() {})
	go func() { done <- app.Init() }()
	tell(<-done)
}

func TestInitAfterMain(t *testing.T) {
	out, status := program(t, "init without a host")
	if status != 0 || !strings.Contains(out, "has returned") {
		t.Errorf("status %d:\n%s", status, out)
	}
}
