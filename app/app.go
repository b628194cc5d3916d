// Package app opens windows whose events live on the main thread and whose pictures are drawn elsewhere.
//
//	func main() { mainthread.Init(run) }
//
//	func run() {
//		if err := app.Init(); err != nil {
//			log.Fatal(err)
//		}
//		defer app.Terminate()
//		w, err := app.NewWindow(app.Title("hello"), app.Size(800, 600))
//		if err != nil {
//			log.Fatal(err)
//		}
//		w.OnDraw(func(f *app.Frame) { gl.Clear(gl.COLOR_BUFFER_BIT) })
//		w.OnEvent(func(e app.Event) {
//			if k, ok := e.(*app.KeyEvent); ok && k.Key == app.KeyEscape {
//				w.Stop()
//			}
//		})
//		w.Run() // until the window is closed
//	}
//
// # Who does what
//
//   - The main thread sleeps in the window system's event loop. It reads events and serves [mainthread.Call], which
//     wakes it: nothing polls, and a program that has nothing to do uses no CPU.
//   - Each window has a thread and an OpenGL context of its own, on which the function given to [Win.OnDraw] runs, and
//     everything given to [Win.Thread]. A slow window does not hold up another, nor a slow event handler the drawing.
//   - Events come to the goroutine that called [Win.Run], in order.
//
// In the steady state a frame allocates nothing, and nor does an event.
//
// The shape of the package is that of the article "Scheduling Function Calls with Zero Allocation" (2021). The windows
// are GLFW's, the pictures OpenGL's.
package app

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/mainthread"
)

// ErrNotInitialized is returned by functions that need Init, before it and after Terminate.
var ErrNotInitialized = errors.New("app: not initialized; call app.Init first, from the function given to mainthread.Init")

// The package is one of these:
//
//	down  -> up    Init, once GLFW has been initialized; it then posts loop to the main thread
//	up    -> down  Terminate, on the main thread and after all windows are gone; loop ends
var state struct {
	mu      sync.Mutex // held during Init and Terminate
	up      atomic.Bool
	winMu   sync.Mutex
	windows map[*Win]struct{} // those that have not been destroyed
}

// Init prepares the package and gives the main thread to the window system's event loop, in which it serves
// [mainthread.Call] and all others as before. It returns an error that says what is missing if there is no display.
//
// Call it from the function given to [mainthread.Init]. A second call before Terminate does nothing.
func Init() error {
	state.mu.Lock()
	defer state.mu.Unlock()
	if state.up.Load() {
		return nil
	}
	if mainthread.On() {
		return errors.New("app: Init on the main thread, which must be free for the event loop; " +
			"call it from the function given to mainthread.Init")
	}
	var err error
	if !mainthread.Call(func() { err = initGLFW() }) {
		return errors.New("app: Init after the function given to mainthread.Init has returned")
	}
	if err != nil {
		return err
	}
	state.windows = map[*Win]struct{}{}
	state.up.Store(true)
	mainthread.Go(loop)
	return nil
}

// Terminate closes the windows that are still open, waits until their Run has returned, and gives the main thread back.
// Without Init it does nothing. It panics inside a function that was given to OnDraw or OnEvent, where it would wait
// for itself.
func Terminate() {
	state.mu.Lock()
	defer state.mu.Unlock()
	if !state.up.Load() {
		return
	}
	for _, w := range windows() {
		if w.thread.On() || w.runner.Load() == ident.G() {
			panic("app: Terminate inside a window's OnDraw or OnEvent; call Stop there, and Terminate after Run")
		}
		w.Stop()
		if w.begin() { // nobody runs it, and from now on nobody will
			w.end()
		}
		<-w.gone
	}
	mainthread.Call(func() {
		state.up.Store(false)
		glfw.Terminate()
	})
}

// windows returns those that are open.
func windows() (open []*Win) {
	state.winMu.Lock()
	defer state.winMu.Unlock()
	for w := range state.windows {
		open = append(open, w)
	}
	return open
}

// loop is where the main thread lives between Init and Terminate.
func loop() {
	defer func() {
		if state.up.Load() {
			mainthread.Go(loop) // a function has called runtime.Goexit; the main thread lives on, and takes this up again
			return
		}
		mainthread.OnWake(nil)
	}()
	mainthread.OnWake(glfw.PostEmptyEvent)
	for state.up.Load() {
		glfw.WaitEvents()
		mainthread.Serve()
	}
}

// onMain runs f on the main thread, where GLFW wants to be called.
func onMain(f func()) error {
	ran := false
	mainthread.Call(func() {
		if state.up.Load() {
			f()
			ran = true
		}
	})
	if !ran {
		return ErrNotInitialized
	}
	return nil
}

func isLinuxX11() bool { return runtime.GOOS != "windows" && runtime.GOOS != "darwin" }
