// Package lib has functions that need the main thread, for package marks.
package lib

import (
	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// Window is a window.
type Window struct {
	W *glfw.Window

	GL *thread.Thread //threadcall:on gl // want GL:"thread gl"

	OnDraw func() //threadcall:on gl // want OnDraw:"thread gl"
}

// Show shows the window.
//
//threadcall:on main
func (w *Window) Show() { w.W.Show() } // want Show:"on main"

func (w *Window) Title(title string) { w.title(title) } // want Title:"needs main for glfw.Window.SetTitle"

func (w *Window) title(title string) { // want title:"needs main for glfw.Window.SetTitle"
	w.W.SetTitle(title)
}

// Hide may be called anywhere.
//
//threadcall:on any
func (w *Window) Hide() { w.W.Show() } // want Hide:"on any"

// Safe is right wherever it is called.
func (w *Window) Safe() { // want Safe:"needs init for mainthread.Call"
	if mainthread.On() {
		w.Show()
		return
	}
	mainthread.Call(w.Show)
}

func (w *Window) Also() {
	if !mainthread.On() {
		panic("not on the main thread")
	}
	w.Show()
}

func (w *Window) Asserts() {
	mainthread.Assert()
	w.Show()
}

func (w *Window) Wrong() { // want Wrong:"needs main for lib.Window.Show"
	if mainthread.On() {
		return
	}
	w.Show()
}

// Decides runs where its parameter says.
func (w *Window) Decides(onMain bool) {
	if onMain {
		w.Show()
	} else {
		mainthread.Call(w.Show)
	}
}

// A Drawer draws.
type Drawer interface {
	//threadcall:on gl
	Draw() // want Draw:"on gl"
	Size() int
}

// Node belongs to the thread of the scene.
//
//threadcall:on scene
type Node struct{ children []*Node }

func (n *Node) Add(child *Node) { n.children = append(n.children, child) } // want Add:"on scene"

func Do(f func()) { // want Do:"needs init for mainthread.Call, runs parameter 0 on the main thread"
	if mainthread.On() {
		f()
	} else {
		mainthread.Call(f)
	}
}

func Each(f func(int)) { // want Each:"calls parameter 0"
	for i := range 3 {
		f(i)
	}
}

func Spawn(n int, f func()) { // want Spawn:"runs parameter 1 elsewhere"
	for range n {
		go f()
	}
}

// Either is not known.
func Either(f func(), wait bool) {
	if wait {
		f()
	} else {
		go f()
	}
}

//threadcall:runs gl
func Queue(f func()) { // want Queue:"runs functions on gl"
	queue <- f
}

var queue = make(chan func())
