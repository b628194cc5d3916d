// Package marks calls functions that are marked.
package marks

import (
	"context"
	"lib"
	"runtime"

	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

//threadcall:on main
func onMain() {} // want onMain:"on main"

//threadcall:on gl
func onGL() { // want onGL:"on gl"
	onMain() // want `^onMain must be called on the main thread; called by onGL \(marks.go:\d+\), which is marked //threadcall:on gl$`
	alsoGL()
	gl.Go(onGL)
}

func alsoGL() { onGL() } // want alsoGL:"needs gl for marks.onGL"

//threadcall:on any
func anywhere() { go onMain() } // want anywhere:"on any"

var (
	gl     = thread.New(thread.WithName("gl"))
	other  = thread.New(thread.WithName("other"), thread.WithStart(func() error { onGL(); return nil })) // want `onGL must be called on thread gl; .*which WithStart runs on thread other`
	noName = thread.New()
	//threadcall:on gl
	marked, _ = thread.Start(thread.WithName("renderer")) // want marked:"thread gl"
	pool      = thread.NewPool(2)
)

func known(w *lib.Window, d lib.Drawer, n *lib.Node) { // want known:"needs gl for lib.Drawer.Draw, needs scene for lib.Node.Add"
	gl.Call(onGL)
	gl.Call(func() {
		onGL()
		alsoGL()
		onMain() // want `^onMain must be called on the main thread; called by a function in known \(marks.go:\d+\), which Thread.Call runs on thread gl \(marks.go:\d+\)$`
	})
	marked.Call(onGL)
	w.GL.Call(onGL)
	noName.Call(onGL)
	noName.Call(onMain)            // want `onMain must be called on the main thread`
	other.Call(onGL)               // want `^onGL must be called on thread gl; here Thread.Call runs it on thread other \(marks.go:\d+\)$`
	other.Go(func() { d.Draw() })  // want `^lib.Drawer.Draw must be called on thread gl`
	pool.Call(func() { onMain() }) // want `which Pool.Call runs on a thread of its own`
	mainthread.Call(func() { onMain() })
	mainthread.Call(func() { onGL() }) // want `onGL must be called on thread gl; .* which mainthread.Call runs on the main thread`
	mainthread.Go(func() { w.Show(); w.Title("") })
	thread.Bind1(mainthread.Thread(), func(n int) { onMain() })(3)
	thread.Bind1V(gl, func(n int) int { onMain(); return 0 }) // want `which Bind1V runs on thread gl`
	thread.Coalesce1(gl, func(n int) { onGL() })
	thread.Eval(gl, func() int { onMain(); return 1 })                        // want `which Eval runs on thread gl`
	thread.EvalContext(context.TODO(), gl, func() int { onMain(); return 1 }) // want `which EvalContext runs on thread gl`
	thread.Eval(mainthread.Thread(), func() int { onMain(); return 1 })
	gl.Every(1, func() { onMain() })                             // want `which Thread.Every runs on thread gl`
	keyed.New(func(key int) error { onMain(); return nil }, nil) // want `which keyed.New runs on a thread of its own`
	d.Draw()
	n.Add(nil)
	w.OnDraw = func() { onMain() } // want `which OnDraw runs on thread gl`
	w.OnDraw = onGL
}

func unknown(t *thread.Thread, f func(func()), w *lib.Window) { // want unknown:"calls parameter 1"
	t.Call(func() { onMain(); onGL() })
	f(func() { onMain() })
	lib.Either(func() { onMain() }, true)
}

func others(w *lib.Window) { // want others:"needs init for mainthread.Call, needs main for glfw.Window.SetTitle"
	go w.Show()    // want `^lib.Window.Show must be called on the main thread`
	go w.Title("") // want `^glfw.Window.SetTitle must be called on the main thread; called by lib.Window.title \(lib.go:\d+\), called by lib.Window.Title \(lib.go:\d+\), which runs on a goroutine started at marks.go:\d+$`
	go func() {
		w.Title("x") // want `called by lib.Window.Title \(lib.go:\d+\), called by a function in others \(marks.go:\d+\), which runs on a goroutine started at marks.go:\d+$`
		w.Hide()
		w.Safe()
		w.Also()
		w.Asserts()
		w.Wrong()  // want `lib.Window.Wrong`
		w.OnDraw() // want `OnDraw must be called on thread gl`
	}()
	lib.Do(func() { w.Show() })
	lib.Do(func() { onGL() }) // want `which lib.Do runs on the main thread`
	go lib.Do(w.Show)
	lib.Each(func(int) { w.Title("") })
	go lib.Each(func(int) { w.Show() }) // want `lib.Window.Show`
	lib.Spawn(3, w.Show)                // want `here lib.Spawn runs it on a goroutine`
	lib.Queue(onGL)
	lib.Queue(onMain) // want `here lib.Queue runs it on thread gl`
}

func literals() { // want literals:"needs init for mainthread.Call"
	//threadcall:on main
	f := func() { onMain() }
	go f() // want `must be called on the main thread`
	mainthread.Call(f)
	go func() { //threadcall:on main
		onMain()
	}()
	go serveGL()
	go anywhere()
	go onMain() //threadcall:on any
}

// serveGL is a thread made by hand.
//
//threadcall:on gl
func serveGL() { // want serveGL:"on gl"
	runtime.LockOSThread()
	onGL()
}

type renderer struct {
	gl           *thread.Thread
	many         []*thread.Thread
	*thread.Pool // want Pool:"thread workers"
}

func newRenderer() *renderer {
	return &renderer{gl: thread.New(thread.WithName("gl")), Pool: thread.NewPool(3, thread.WithName("workers"))}
}

//threadcall:on workers
func work() {} // want work:"on workers"

func (r *renderer) draw() {
	r.gl.Go(onGL)
	r.gl.Go(onMain) // want `here Thread.Go runs it on thread gl`
	r.many[0].Go(onMain)
	r.Pool.Go(work)
	r.Call(onGL) // want `here Pool.Call runs it on thread workers`
	if r.gl.On() {
		onGL()
	} else {
		go onGL() // want `onGL must be called on thread gl`
	}
	r.gl.Assert()
	onGL()
}

type hooks struct {
	cb     func() //threadcall:on gl // want cb:"thread gl"
	stored func() //threadcall:on gl // want stored:"thread gl"
	free   func()
}

//threadcall:on gl
var hook func() // want hook:"thread gl"

func held(h *hooks, v hooks, w *lib.Window) { // want held:"needs gl for cb"
	go h.cb()           // want `^cb must be called on thread gl; here it runs on a goroutine started at marks.go:\d+$`
	go hook()           // want `^hook must be called on thread gl; here it runs on a goroutine`
	go v.cb()           // want `^cb must be called on thread gl`
	go w.OnDraw()       // want `^OnDraw must be called on thread gl`
	other.Call(h.cb)    // want `^cb must be called on thread gl; here Thread.Call runs it on thread other \(marks.go:\d+\)$`
	mainthread.Go(hook) // want `^hook must be called on thread gl; here mainthread.Go runs it on the main thread`
	lib.Spawn(3, h.cb)  // want `^cb must be called on thread gl; here lib.Spawn runs it on a goroutine`
	f := h.cb
	go f()      // want `^cb must be called on thread gl`
	go func() { // a literal
		f()          // want `^cb must be called on thread gl; called by a function in held`
		defer hook() // want `^hook must be called on thread gl`
		if gl.On() {
			h.cb()
		}
	}()
	h.stored = onGL
	go h.stored() // want `^stored must be called on thread gl`
	w.OnDraw = h.cb
	gl.Call(h.cb)
	gl.Go(f)
	gl.Call(func() { h.cb(); hook(); w.OnDraw() })
	go h.free()
	go hook() //threadcall:ignore the thread is not started yet
	h.cb()
	hook()
}
