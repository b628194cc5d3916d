package main

import (
	"runtime"
	"sync"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.3/glfw"
)

const (
	windows   = 2
	frameRate = 30 // of each window
	width     = 640
	height    = 480
)

// mainThread is what the article's loop needs of a design.
type mainThread interface{ Call(f func()) bool }

// loopWindows is the article's program: each window has a goroutine that draws and then waits on the main thread for
// events. The waits of the windows follow each other there, so each is as long as it takes that all windows show
// frameRate frames a second. (The article's is 1/30 s, with which two windows show 15.)
func loopWindows(main mainThread, m *meter) (err error) {
	var open []*glfw.Window
	main.Call(func() { open, err = openWindows() })
	if err != nil {
		return err
	}
	go m.measure()
	var loaded sync.Mutex
	var all sync.WaitGroup
	failures := make([]error, windows)
	for i, w := range open {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			w.MakeContextCurrent()
			defer glfw.DetachCurrentContext()
			glfw.SwapInterval(1)
			loaded.Lock()
			failures[i] = gl.Init()
			loaded.Unlock()
			for failures[i] == nil && !w.ShouldClose() && !m.over.Load() {
				breathe(glfw.GetTime(), i)
				w.SwapBuffers()
				m.frames.Add(1)
				main.Call(func() { glfw.WaitEventsTimeout(1.0 / (windows * frameRate)) })
				m.calls.Add(1)
			}
		})
	}
	all.Wait()
	for _, failure := range failures {
		if failure != nil {
			return failure
		}
	}
	main.Call(func() {
		for _, w := range open {
			w.Destroy()
		}
		glfw.Terminate()
	})
	return m.end()
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
		w, err := glfw.CreateWindow(width, height, title(i), nil, nil)
		if err != nil {
			return nil, err
		}
		w.SetPos(place(i))
		open = append(open, w)
	}
	return open, nil
}
