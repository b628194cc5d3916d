package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app/internal/nsgl"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// ErrClosed is returned by methods of a window that has been closed.
var ErrClosed = errors.New("app: the window is closed")

// A Window is made by NewWindow, shows frames in Run, and is destroyed when Run has returned.
//
// Its methods may be called from any goroutine at any time. Once the window is closed, which the
// user may do at any moment, methods that change it do nothing. On the window's thread, in OnDraw
// for example, methods without a result take effect soon, in their order.
type Window struct {
	opts   options
	win    *glfw.Window
	thread *thread.Thread
	queue  *queue

	onDraw  atomic.Value // of func(*Frame)
	onEvent atomic.Value // of func(Event)
	onClose atomic.Value // of func()

	life     atomic.Int32  // only grows
	runner   atomic.Uint64 // the goroutine in Run
	stopped  atomic.Bool   // no frame begins, and Run returns
	failed   atomic.Pointer[failure]
	gone     chan struct{}            // closed when the window has been destroyed
	geometry atomic.Pointer[geometry] // the main thread stores it

	// The main thread uses these.
	destroyed bool
	windowed  struct{ x, y, width, height int } // its place before it has covered a monitor

	// hiding keeps the window from being hidden while its thread shows a frame: Wayland ends programs
	// that show one of a hidden window, and GLFW looks whether it is hidden before it shows it.
	// Elsewhere showing a frame may wait for the monitor, and hiding must not, so nothing holds it.
	hiding sync.Mutex

	pacing
	drawing // the window's thread uses it

	postDelivery func() bool // posts deliverNow, once
}

// The values of Window.life.
const (
	made    = iota // NewWindow has returned, or will
	running        // Run has been called
	over           // no frame is drawn any more
)

type geometry struct {
	size           ResizeEvent
	scaleX, scaleY float32
}

// NewWindow makes a window. Before Run, frames are drawn for Screenshot only. Errors name what is
// wrong with the options or what the system lacks.
func NewWindow(opts ...Option) (*Window, error) {
	o := options{name: "window", title: "threadcall", width: 640, height: 480,
		api: api{client: glfw.NoAPI}}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&o)
		}
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	w := &Window{opts: o, queue: newQueue(), gone: make(chan struct{})}
	w.thread = thread.New(thread.WithName(o.name), thread.WithKeep(), thread.WithStop(w.stop))
	w.pacing.set(o.pace)
	w.run = w.drawPosted
	if o.eventsOnDraw {
		w.postDelivery = w.thread.Coalesce(w.deliverNow)
		w.queue.came = w.eventCame
	}
	err := w.createSharing()
	if err == nil {
		w.thread.Call(func() {
			if panicked := guarded(func() { err = w.prepare() }); panicked != nil {
				err = panicked
			}
			wakeForEvents()
		})
	}
	if err != nil {
		w.close()
		return nil, err
	}
	if !o.hidden {
		w.Show()
	}
	return w, nil
}

// createSharing creates the window while the context that it shares is current nowhere, for WGL.
func (w *Window) createSharing() (err error) {
	create := func() {
		if down := onMain(func() { err = w.create() }); down != nil {
			err = down
		}
	}
	other := w.opts.share
	if other == nil {
		create()
		return err
	}
	err = errShareClosed
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	busy := other.thread.CallContext(ctx, func() {
		if !other.stopped.Load() {
			other.detach()
			create()
			_ = guarded(other.win.MakeContextCurrent)
		}
	})
	if errors.Is(busy, context.DeadlineExceeded) {
		return other.hangs("Share")
	}
	return err
}

var errShareClosed = fmt.Errorf("app: Share: %w", ErrClosed)

func (w *Window) hangs(what string) error {
	return fmt.Errorf("app: %s: a function on the thread of window %q, such as OnDraw's, has not "+
		"returned for %v", what, w.opts.title, patience)
}

// create runs on the main thread.
func (w *Window) create() error {
	o := w.opts
	state.winMu.Lock()
	closing := state.closing
	if !closing {
		state.windows[w] = struct{}{}
	}
	state.winMu.Unlock()
	if closing {
		return ErrNotInitialized
	}
	glfw.DefaultWindowHints()
	glfw.WindowHint(glfw.Visible, glfw.False)
	a := o.api
	glfw.WindowHint(glfw.ClientAPI, a.client)
	glfw.WindowHint(glfw.ContextVersionMajor, a.major)
	glfw.WindowHint(glfw.ContextVersionMinor, a.minor)
	if a.client == glfw.OpenGLAPI && (a.major > 3 || a.major == 3 && a.minor >= 2) {
		// there are no profiles before
		glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
		if runtime.GOOS == "darwin" {
			glfw.WindowHint(glfw.OpenGLForwardCompatible, glfw.True)
		}
	}
	var share *glfw.Window
	if other := o.share; other != nil {
		if other.destroyed {
			return errShareClosed
		}
		share = other.win
	}
	err := guarded(func() {
		if o.hints != nil {
			o.hints()
		}
		w.win, _ = glfw.CreateWindow(o.width, o.height, o.title, nil, share)
	})
	if w.win == nil {
		return windowError(cmp.Or(lastError(), err), a)
	}
	w.gl.all = w.win.GetAttrib(glfw.ContextVersionMajor) >= 3
	w.win.SetInputMode(glfw.LockKeyMods, glfw.True)
	w.listen()
	w.ticks.refresh.Store(refreshRate())
	return nil
}

// prepare runs on the window's thread.
func (w *Window) prepare() error {
	if w.opts.api.none() {
		return nil
	}
	w.win.MakeContextCurrent()
	w.context = nsgl.Guard()
	if err := w.gl.load(w.opts.api); err != nil {
		return err
	}
	w.repace()
	return nil
}

// NewContext starts a thread with a current context that shares with w's, as [Share]: for a loader.
//
//	loader, err := app.NewContext(w)
//	loader.Go(func() { load(); gl.Finish() })
//
// Terminating the thread, by its Close for example, destroys the context, and so does Terminate.
func NewContext(w *Window) (*thread.Thread, error) {
	c, err := NewWindow(Share(w), Hidden(), Size(1, 1), option(func(o *options) {
		o.name = "loader"
		if w != nil {
			o.title, o.hints = "loader of "+w.opts.title, w.opts.hints
		}
	}))
	if err != nil {
		return nil, err
	}
	return c.thread, nil
}

// OnDraw sets the function that draws a frame. It runs on the window's thread, with the window's
// context current and the viewport set to the whole window. When it returns, the frame is shown.
// Without one, or with nil, the window is cleared when shown, and when its content is lost.
func (w *Window) OnDraw(draw func(*Frame)) {
	follows := draw != nil && w.continuous() // a frame that has draw
	w.onDraw.Store(draw)
	if !follows {
		w.request()
	}
}

// OnClose sets the function that frees what belongs to the window. It runs on the window's thread
// after the last frame, with the window's context current, even without Run, but not if the thread
// has been terminated.
func (w *Window) OnClose(f func()) { w.onClose.Store(f) }

// Thread returns the thread on which the window is drawn. Functions given to it, such as uploads of
// textures, run between two frames, with the window's context current. Closing the window
// terminates the thread, and terminating the thread closes the window.
func (w *Window) Thread() *thread.Thread { return w.thread }

// Run shows frames and delivers events until the user closes the window, or Stop or Terminate is
// called. Then it destroys the window and returns. It can be called once; if the window has been
// closed before, it returns at once. It panics on the main thread, which has the event loop, and as
// a function of OnDraw, OnEvent or OnClose does; if one calls [runtime.Goexit], so does Run.
//
// If a function on the window's thread does not return within five seconds of that, Run reports it
// on standard error and does not wait for it. The window is hidden, except with Wayland, GLFW keeps
// it until the process ends, and its thread refuses functions.
func (w *Window) Run() {
	if mainthread.On() {
		panic("app: Run on the main thread, which runs the event loop; call it elsewhere")
	}
	if !w.claim(running) {
		if w.life.Load() == running {
			panic("app: Run of a window that runs already")
		}
		return
	}
	finished := false
	defer func() {
		w.end()
		if f := w.failed.Load(); f != nil && finished {
			f.raise()
		}
	}()
	w.schedule()
	w.receive()
	finished = true
}

// claim makes the caller the one that ends the window: in Run or, if that has not begun, another.
func (w *Window) claim(life int32) bool {
	if !w.life.CompareAndSwap(made, life) {
		return false
	}
	w.runner.Store(goroutine())
	return true
}

func goroutine() (number uint64) {
	var b [64]byte
	_, _ = fmt.Sscanf(string(b[:runtime.Stack(b[:], false)]), "goroutine %d ", &number)
	return number
}

func (w *Window) close() {
	w.Stop()
	if w.claim(over) {
		w.end()
	}
	<-w.gone
}

func (w *Window) end() {
	w.Stop()
	stuck := !w.endThread()
	_ = onMain(func() {
		w.destroyed = true
		switch {
		case w.win == nil: // NewWindow has failed
		case stuck: // its thread may use it
			state.stuck = true
			if !state.wayland.Load() { // see hiding
				w.win.Hide()
			}
		default:
			w.win.Destroy()
		}
	})
	w.life.Store(over)
	state.winMu.Lock()
	delete(state.windows, w)
	state.winMu.Unlock()
	w.runner.Store(0)
	close(w.gone)
}

// patience is for how long the end of a window, Share and Screenshot wait for its thread.
const patience = 5 * time.Second

// endThread ends the window's thread, or reports that a function does not return there.
func (w *Window) endThread() (ended bool) {
	leave := func() { defer w.thread.Terminate(); w.leave() }
	if w.thread.On() {
		leave()
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = w.thread.CallContext(ctx, func() {}) // after the frame that is being drawn
	w.thread.Go(leave)
	select {
	case <-w.thread.Done(): // until then the context may be current there
		return true
	case <-ctx.Done():
		fmt.Fprintf(os.Stderr, "app: a function on the thread of window %q, such as OnDraw's, has not "+
			"returned for %v since the window was to end; it is given up, not destroyed\n",
			w.opts.title, patience)
		w.thread.Terminate() // which would take functions, and not run them
		return false
	}
}

// leave runs on the window's thread, after the last frame.
func (w *Window) leave() {
	defer w.detach()
	if f, _ := w.onClose.Load().(func()); f != nil {
		w.inside = "OnClose"
		w.check(f)
	}
}

// stop runs on the window's thread when that ends. The system's thread is kept, and must not keep a
// context that is destroyed: leave does not run if the program has terminated the thread.
func (w *Window) stop() {
	w.Stop()
	w.context.Release()
	w.detach()
	if w.life.Load() == made { // nothing else may destroy it
		go w.close()
	}
}

func (w *Window) detach() {
	if !w.opts.api.none() {
		_ = guarded(glfw.DetachCurrentContext)
	}
}

// Stop makes Run return. It does not wait for that, and may be called from OnDraw and OnEvent.
func (w *Window) Stop() {
	w.stopped.Store(true)
	w.queue.notified.set()
}

// Do runs f on the main thread with the window of GLFW, for what the package does not have:
// position, icon, size limits, focus, native handles, shapes of the pointer. It returns GLFW's
// error of f, or [ErrClosed] or [ErrNotInitialized] if there is no window for f:
//
//	err := w.Do(func(win *glfw.Window) { win.SetOpacity(0.5) })
//
// The package owns the window's context, its callbacks and its end.
func (w *Window) Do(f func(*glfw.Window)) error { return w.do(func() { f(w.win) }) }

func (w *Window) do(f func()) error {
	failed := ErrClosed
	err := onMain(func() {
		if w.destroyed {
			return
		}
		_ = lastError() // of what came before
		f()
		failed = lastError()
	})
	return cmp.Or(err, failed)
}

// post is do for what returns nothing. The window's thread does not wait for the main thread.
func (w *Window) post(f func()) {
	if w.thread.On() {
		mainthread.Go(func() { _ = w.do(f) })
	} else {
		_ = w.do(f)
	}
}

// refreshRate returns how many frames a second the fastest monitor shows, or zero if unknown.
func refreshRate() (rate int64) {
	for _, m := range glfw.GetMonitors() {
		if mode := m.GetVideoMode(); mode != nil {
			rate = max(rate, int64(mode.RefreshRate))
		}
	}
	return rate
}
