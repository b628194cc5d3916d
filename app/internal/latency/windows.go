package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

const (
	windows       = 2
	width, height = 400, 300
	title         = "latency"
)

// A design is a way to show the windows.
type design struct {
	name  string             // on the command line
	title string             // in the table
	run   func(*meter) error // on the main thread
}

var designs = []design{
	{"glfw", "one thread", oneThread},
	{"app", "package app", func(m *meter) (err error) {
		mainthread.Init(func() { err = appWindows(m) })
		return err
	}},
}

// oneThread draws all windows on the main thread, which waits for events until the next frame is due. Functions come by a channel, and with
// an empty event.
func oneThread(m *meter) error {
	if err := glfw.Init(); err != nil {
		return err
	}
	defer glfw.Terminate()
	glfw.WindowHint(glfw.ContextVersionMajor, 3)
	glfw.WindowHint(glfw.ContextVersionMinor, 3)
	glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
	type window struct {
		*glfw.Window
		period time.Duration
		due    time.Time
	}
	var open [windows]window
	for i := range open {
		w, err := glfw.CreateWindow(width, height, title, nil, nil)
		if err != nil {
			return err
		}
		w.SetPos(i*(width+50), 0)
		w.MakeContextCurrent()
		if err := gl.Init(); err != nil {
			return err
		}
		glfw.SwapInterval(0)
		open[i] = window{w, time.Second / time.Duration(m.rates[i]), time.Now()}
	}
	open[0].SetCursorPosCallback(func(_ *glfw.Window, x, y float64) { m.moved(x, y) })
	functions := make(chan func(), 16)
	called := make(chan struct{})
	answer := func() { called <- struct{}{} }
	m.measure(func() {
		functions <- answer
		glfw.PostEmptyEvent()
		<-called
	}, glfw.PostEmptyEvent)
	for !m.over.Load() {
		next := open[0].due
		if open[1].due.Before(next) {
			next = open[1].due
		}
		if left := time.Until(next); left > 0 {
			glfw.WaitEventsTimeout(left.Seconds())
		} else {
			glfw.PollEvents()
		}
		for more := true; more; {
			select {
			case f := <-functions:
				f()
			default:
				more = false
			}
		}
		for i := range open {
			w := &open[i]
			now := time.Now()
			if now.Before(w.due) {
				continue
			}
			if w.due = w.due.Add(w.period); w.due.Before(now) {
				w.due = now
			}
			w.MakeContextCurrent()
			m.frame(i)
			clear(len(m.frames[i]))
			w.SwapBuffers()
		}
	}
	return nil
}

// appWindows shows the same windows by package app.
func appWindows(m *meter) error {
	if err := app.Init(); err != nil {
		return err
	}
	defer app.Terminate()
	var open [windows]*app.Win
	for i := range open {
		w, err := app.NewWindow(app.Title(title), app.Size(width, height), app.NoVSync(), app.FrameRate(float64(m.rates[i])))
		if err != nil {
			return err
		}
		w.SetPosition(i*(width+50), 0)
		w.OnDraw(func(*app.Frame) {
			m.frame(i)
			clear(len(m.frames[i]))
		})
		open[i] = w
	}
	open[0].OnEvent(func(e app.Event) {
		if move, ok := e.(*app.MouseMoveEvent); ok {
			m.moved(move.X, move.Y)
		}
	})
	nop := func() {}
	m.measure(func() { mainthread.Call(nop) }, func() {
		for _, w := range open {
			w.Stop()
		}
	})
	var all sync.WaitGroup
	for _, w := range open {
		all.Go(w.Run)
	}
	all.Wait()
	if !m.over.Load() {
		return fmt.Errorf("a window was closed before the time was over")
	}
	return nil
}

// clear fills the window with a colour that changes with each frame.
func clear(frame int) {
	gl.ClearColor(float32(frame%60)/60, 0.2, 0.4, 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
}
