// Package main calls GLFW from goroutines.
package main

import (
	"runtime"
	"sync"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"golang.org/x/sync/errgroup"
)

func init() { runtime.LockOSThread() }

func main() {
	glfw.Init()
	defer glfw.Terminate()
	w, _ := glfw.CreateWindow(1, 2, "")
	w.SetKeyCallback(func(w *glfw.Window, key int) { w.SetTitle("on the main thread") })
	go loop(w)
	go w.Show() // want `glfw.Window.Show must be called on the main thread; here it runs on a goroutine started at main.go:\d+`
	go glfw.PostEmptyEvent()
	go func() {
		runtime.LockOSThread()
		w.MakeContextCurrent()
		for !w.ShouldClose() {
			w.SwapBuffers()
		}
		w.Destroy() // want `glfw.Window.Destroy must be called on the main thread; called by a function in main \(main.go:\d+\), which runs on a goroutine started at`
	}()
	var g errgroup.Group
	g.Go(func() error {
		draw(w)
		return glfw.Init() // want `which errgroup.Group.Go runs on a goroutine \(main.go:\d+\)`
	})
	time.AfterFunc(1, func() { w.Show() }) // want `which time.AfterFunc runs on a goroutine`
	var once sync.Once
	go once.Do(func() { w.Show() }) // want `runs on a goroutine started at`
	once.Do(func() { w.Show() })
	spawn(func() { w.Show() }) // want `which main.spawn runs on a goroutine`
	inPlace(func() { w.Show() })
	go inPlace(func() { w.Show() }) // want `which runs on a goroutine started`
	kept = func() { w.Show() }      // the goroutine that calls it is not known
	show := w.Show
	go func() { show() }()         // want `glfw.Window.Show must be called on the main thread`
	f := func() { w.SetTitle("") } // want `runs on a goroutine started at`
	if w.ShouldClose() {
		f = func() { w.Show() } // want `runs on a goroutine started at`
	}
	defer f()
	var late func()
	late = func() {
		w.Show() // want `runs on a goroutine started at`
		late()
	}
	go late()
	//threadcall:ignore GLFW is not initialized any more
	go w.Show()
	go w.Destroy() //threadcall:ignore for tests
	ch := make(chan func())
	go f2(w, ch)
	for one := range ch {
		one()
	}
	go f()
}

func f2(w *glfw.Window, ch chan func()) { ch <- func() { w.Show() } }

var kept func()

func spawn(f func()) {
	go func() {
		f()
	}()
}

func inPlace(f func()) {
	if f != nil {
		func() { f() }()
	}
}

func loop(w *glfw.Window) {
	for !w.ShouldClose() {
		glfw.PollEvents() // want `^glfw.PollEvents must be called on the main thread; called by loop \(main.go:\d+\), which runs on a goroutine started at main.go:\d+$`
		draw(w)
	}
}

func draw(w *glfw.Window) {
	w.SetTitle("") // want `^glfw.Window.SetTitle must be called on the main thread; called by draw \(main.go:\d+\), called by a function in main \(main.go:\d+\), which errgroup`
}

func notCalled(w *glfw.Window) { w.Show() }
