package main

import (
	"errors"
	"math"
	"runtime"
	"sync"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/internal/bench"
	"github.com/threadcall/threadcall/mainthread"
)

const (
	windows       = 2
	frameRate     = 30 // of each window
	width, height = 640, 480
	title         = "six minutes"
)

// A design is a way to show the windows.
type design struct {
	name  string             // on the command line
	title string             // in the table and in the picture
	run   func(*meter) error // on the main thread
}

var designs = []design{
	{"naive", "article's first", served(bench.Naive())},
	{"struct", "article's last", served(bench.Struct())},
	{"threadcall", "threadcall", func(m *meter) (err error) {
		mainthread.Init(func() { err = loop(bench.MainThread, m) })
		return err
	}},
	{"app", "package app", func(m *meter) (err error) {
		mainthread.Init(func() { err = appWindows(m) })
		return err
	}},
}

// served shows the windows by the article's loop, and calls the main thread by d.
func served(d bench.Design) func(*meter) error {
	return func(m *meter) (err error) {
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			err = loop(d, m)
		}()
		d.Serve(stop)
		return err
	}
}

// loop is the article's program: each window has a goroutine that draws and then waits on the main
// thread for events. The waits of the windows follow each other there, so each is as long as it
// takes that all windows show frameRate frames a second. (The article's is 1/30 s, with which two
// windows show 15.)
func loop(main bench.Subject, m *meter) (err error) {
	var open []*glfw.Window
	main.Call(func() { open, err = openWindows() })
	if err != nil {
		return err
	}
	go m.run()
	var loading sync.Mutex
	var all sync.WaitGroup
	for i, w := range open {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			w.MakeContextCurrent()
			defer glfw.DetachCurrentContext()
			glfw.SwapInterval(1)
			loading.Lock()
			err = errors.Join(err, gl.Init())
			loaded := err == nil
			loading.Unlock()
			for loaded && !w.ShouldClose() && !m.over.Load() {
				draw(glfw.GetTime(), i)
				w.SwapBuffers()
				m.frames.Add(1)
				main.Call(func() { glfw.WaitEventsTimeout(1.0 / (windows * frameRate)) })
			}
		})
	}
	if all.Wait(); err != nil {
		return err
	}
	main.Call(glfw.Terminate)
	return nil
}

// openWindows runs on the main thread.
func openWindows() (open []*glfw.Window, err error) {
	if err := glfw.Init(); err != nil {
		return nil, err
	}
	glfw.WindowHint(glfw.ContextVersionMajor, 3)
	glfw.WindowHint(glfw.ContextVersionMinor, 3)
	glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
	for i := range windows {
		w, err := glfw.CreateWindow(width, height, title, nil, nil)
		if err != nil {
			return nil, err
		}
		w.SetPos(60+(width+60)*i, 80)
		open = append(open, w)
	}
	return open, nil
}

// appWindows shows the same windows by package app.
func appWindows(m *meter) error {
	if err := app.Init(); err != nil {
		return err
	}
	defer app.Terminate()
	var all sync.WaitGroup
	var open []*app.Win
	for i := range windows {
		w, err := app.NewWindow(app.Title(title), app.Size(width, height), app.FrameRate(frameRate))
		if err != nil {
			return err
		}
		w.SetPosition(60+(width+60)*i, 80)
		w.OnDraw(func(f *app.Frame) {
			draw(f.Time.Seconds(), i)
			m.frames.Add(1)
		})
		open = append(open, w)
	}
	go func() {
		m.run()
		for _, w := range open {
			w.Stop()
		}
	}()
	for _, w := range open {
		all.Go(w.Run)
	}
	all.Wait()
	return nil
}

// draw fills the window with a colour that changes with time.
func draw(seconds float64, window int) {
	t := seconds + 2*float64(window)
	c := func(phase float64) float32 { return float32(0.5 + 0.4*math.Sin(t+phase)) }
	gl.ClearColor(c(0), c(2), c(4), 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
}
