// Package app opens windows, each drawn on a thread of its own. The main thread receives events.
//
//	func main() { app.Main(run) }
//
//	func run() error {
//		w, err := app.NewWindow(app.Title("hello"), app.OpenGL(3, 3, gl.Init))
//		if err != nil {
//			return err
//		}
//		w.OnDraw(func(f *app.Frame) { gl.Clear(gl.COLOR_BUFFER_BIT) })
//		w.OnEvent(func(e app.Event) {
//			if k, ok := e.(*app.KeyEvent); ok && k.Key == glfw.KeyEscape {
//				w.Stop()
//			}
//		})
//		w.Run() // until the window is closed
//		return nil
//	}
//
// Here gl is a binding, github.com/go-gl/gl/v3.3-core/gl, and glfw github.com/go-gl/glfw/v3.4/glfw.
//
// # Threads
//
//   - The main thread waits for events and [mainthread.Call] at once: nothing polls.
//   - Each window has a thread, on which its context is current. The function of [Window.OnDraw]
//     runs there, and all that is given to [Window.Thread]. So a slow window does not delay others.
//   - The goroutine that called [Window.Run] receives the events, in order. With [EventsOnDraw] the
//     window's thread does, before each frame, so that events and drawing need no mutex.
//
// Frames allocate nothing. Events are allocated, and may be kept and sent on channels.
//
// # Limits
//
//   - While the user drags the border of a window, macOS keeps the main thread in a loop of its
//     own: calls wait until the mouse is released, and frames are drawn meanwhile, in the old size.
//     Windows has such loops for titles and system menus, but there calls run inside them.
//   - On macOS each window is drawn on its thread, and the main thread changes the window's context
//     between two frames, because it would crash during one. This has not been tried.
//   - A function that blocks the main thread delays the events of all windows, but no drawing.
//   - With X11, Clipboard asks the program that owns the clipboard, and blocks the main thread
//     until that answers. If the X server ends, Xlib ends the process.
//   - With X11, GLFW reports only one of two presses of a key within a millisecond, and a gamepad
//     that comes or goes is noticed with the next event or call. No gamepad has been tried.
//   - Drivers wait for the monitor in C. If more windows do that than there are Ps (GOMAXPROCS),
//     the Go runtime lends a P to others only after up to 10 ms.
//   - The Go binding of GLFW has one variable for the errors of all threads. An error of one thread
//     may panic in a function of the binding that another calls, and be written to standard error.
//   - A program may link another toolkit that uses GLFW, such as Fyne, but not run both at a time.
//   - With Wayland there is no MoveEvent, and no StateEvent for a window that is minimized.
//     SetClipboard needs a window that has had the keyboard. The package paces the frames: a driver
//     that waits for the monitor would wait for ever while the window is not visible. GLFW crashes
//     if the compositor has no seat, as weston without a screen; XDG_SESSION_TYPE=x11 avoids that.
//   - Tested with Mesa on Linux, X11 and Wayland (weston), and under Wine.
package app

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"

	_ "github.com/threadcall/threadcall/app/internal/needs_a_C_compiler"
	"github.com/threadcall/threadcall/mainthread"
)

// ErrNotInitialized is returned by functions that need Init, before it and after Terminate.
var ErrNotInitialized = errors.New("app: not initialized; use Main, or call Init")

// The package is one of these:
//
//	down     -> up       Init, once GLFW has been initialized; it posts a loop to the main thread
//	up       -> closing  Terminate; no window is made from now on
//	closing  -> down     Terminate, on the main thread, after all windows are gone; the loop ends
var state struct {
	mu      sync.Mutex // held during Init and Terminate
	up      atomic.Bool
	wayland atomic.Bool  // GLFW uses Wayland
	waking  sync.RWMutex // held for reading to post to the loop, for writing to change up

	// The main thread uses these.
	loop     *loop
	stuck    bool                        // GLFW has windows that end has given up
	gamepads [glfw.JoystickLast + 1]bool // those that are connected

	winMu   sync.Mutex
	closing bool
	windows map[*Window]struct{} // those that have not been destroyed
}

// Main runs a program with windows. It calls [mainthread.Init], which the program must not call
// besides, with a function that calls [Init], run and [Terminate].
//
// If Init or run returns an error, Main writes it to standard error and exits with status 1;
// otherwise it returns after run. A panic in run ends the process.
//
// In tests, TestMain calls it:
//
//	func TestMain(m *testing.M) { app.Main(func() error { m.Run(); return nil }) }
func Main(run func() error) {
	var err error
	mainthread.Init(func() {
		if err = Init(); err == nil {
			defer Terminate()
			err = run()
		}
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// Init prepares the package and gives the main thread to the event loop of the window system, in
// which it serves [mainthread.Call] and all others as before. If there is no display, it returns an
// error that names what is missing. A second call before Terminate does nothing.
//
// [Main] calls it; a program without Main does in the function given to [mainthread.Init].
func Init() error {
	state.mu.Lock()
	defer state.mu.Unlock()
	if state.up.Load() {
		return nil
	}
	if mainthread.On() {
		return errors.New("app: Init on the main thread; call it in mainthread.Init's function")
	}
	var err error
	if !mainthread.Call(func() {
		if err = initGLFW(); err != nil {
			return
		}
		state.wayland.Store(glfw.GetPlatform() == glfw.PlatformWayland)
		glfw.SetMonitorCallback(monitorChanged)
		state.winMu.Lock()
		state.windows = map[*Window]struct{}{}
		state.closing = false
		state.winMu.Unlock()
		if err = watchX11(); err != nil {
			glfw.Terminate()
			return
		}
		state.loop = &loop{}
		state.up.Store(true)
		mainthread.Go(state.loop.run)
	}) {
		return errors.New("app: Init after the function given to mainthread.Init has returned")
	}
	return err
}

// Wait returns when all windows are closed, at once if there is none. A window is open from
// NewWindow on. Wait panics where it would wait for itself, as Terminate does.
//
//	go game.Run()
//	go chart.Run()
//	app.Wait()
func Wait() {
	for {
		open := opened("Wait")
		i := slices.IndexFunc(open, func(w *Window) bool { return w.opts.name == "window" })
		if i < 0 {
			return
		}
		<-open[i].gone
	}
}

// Terminate closes the windows that are open, waits until their Run has returned, and gives the
// main thread back. Without Init it does nothing. It panics where it would wait for itself: in a
// function that was given to a window, and on the main thread.
func Terminate() {
	opened("Terminate") // panics before it waits for another Terminate
	state.mu.Lock()
	defer state.mu.Unlock()
	if !state.up.Load() {
		return
	}
	open, _ := closing()
	closeAll(open)
	mainthread.Call(func() {
		state.loop.over = true
		down()
	})
}

func closeAll(open []*Window) {
	for _, w := range open {
		w.Stop()
	}
	for _, w := range open {
		w.close()
	}
}

// down ends GLFW, on the main thread. That destroys the windows that are left.
func down() {
	state.waking.Lock()
	state.up.Store(false)
	state.waking.Unlock()
	unwatchX11()
	if !state.stuck {
		glfw.Terminate()
	}
}

// closing refuses new windows, and returns the open ones and whether it has been called before.
func closing() (open []*Window, before bool) {
	state.winMu.Lock()
	before, state.closing = state.closing, true
	state.winMu.Unlock()
	return allWindows(), before
}

// opened returns all windows. It panics where the function of this name would wait for itself.
func opened(name string) []*Window {
	if mainthread.On() && state.up.Load() {
		panic("app: " + name + " on the main thread, which runs the event loop; call it elsewhere")
	}
	caller, all := goroutine(), allWindows()
	for _, w := range all {
		if w.thread.On() || w.runner.Load() == caller {
			panic("app: " + name + " inside a window's function; call Stop there, " + name +
				" after Run")
		}
	}
	return all
}

func allWindows() []*Window {
	state.winMu.Lock()
	defer state.winMu.Unlock()
	return slices.Collect(maps.Keys(state.windows))
}

// A loop runs on the main thread between Init and Terminate. Each Init has one of its own, because
// the next one may come before the loop of the last one has ended.
type loop struct{ over bool }

func (l *loop) run() {
	detach := attach()
	defer func() {
		detach()
		if !l.over {
			// a function has called runtime.Goexit, and the main thread goes on
			mainthread.Go(l.run)
		}
	}()
	for !l.over {
		if !mainthread.Loop().Wait(waitForEvents) && !l.over {
			l.over = true
			abandoned()
		}
	}
}

// attach is attachByEvents, but for Windows.
var attach = attachByEvents

// attachByEvents has calls of the main thread wake GLFW's loop.
func attachByEvents() (detach func()) {
	mainthread.Loop().OnWake(wake)
	return func() { mainthread.Loop().OnWake(nil) }
}

// notified ends a wait of the main thread in the Go scheduler.
var notified = make(signal, 1)

// waitForEvents handles the events that there are, waits for the next, and handles those.
func waitForEvents() {
	if !inScheduler() {
		_ = guarded(glfw.WaitEvents)
		return
	}
	poll()
	setWaiting(true)
	<-notified
	setWaiting(false)
	poll()
}

// poll handles all events that have come: PollEvents does not read more than a buffer full of them,
// and ends at an error of another thread that the binding has taken for one of its own.
func poll() {
	for guarded(glfw.PollEvents) != nil || eventsQueued() {
	}
}

// wake makes waitForEvents return. Any goroutine may call it at any time, also without GLFW.
func wake() {
	notified.set()
	state.waking.RLock()
	defer state.waking.RUnlock()
	if state.up.Load() && !inScheduler() {
		_ = guarded(glfw.PostEmptyEvent)
	}
}

// onMain runs f on the main thread, where GLFW must be called.
func onMain(f func()) error {
	err := ErrNotInitialized
	mainthread.Call(func() {
		if state.up.Load() {
			err = guarded(f)
		}
	})
	return err
}

func usesX11() bool { return runtime.GOOS != "windows" && runtime.GOOS != "darwin" }

// abandoned does on the main thread what Terminate would have done, when the function given to
// mainthread.Init has returned without it. Calls of the main thread fail from now on.
func abandoned() {
	open, terminating := closing()
	if len(open) > 0 && !terminating {
		fmt.Fprintf(os.Stderr, "app: the function given to mainthread.Init has returned while "+
			"windows were open (%d); it must wait for Run, and call app.Terminate last\n", len(open))
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		closeAll(open)
	}()
	select {
	case <-ended:
		down()
	case <-time.After(time.Second): // or the process would end
		// a function does not return, and GLFW must not free what it uses
	}
}
