package app_test

import (
	"image"
	"strings"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// texture makes a texture of 2 by 2 pixels with the colours of quarters.
func texture() (texture uint32) {
	pixels := make([]byte, 0, 16)
	for _, i := range []int{2, 3, 0, 1} { // the lowest row comes first
		pixels = append(pixels, corners[i].R, corners[i].G, corners[i].B, corners[i].A)
	}
	gl.GenTextures(1, &texture)
	gl.BindTexture(gl.TEXTURE_2D, texture)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 2, 2, 0, gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(pixels))
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST)
	gl.Finish()
	return texture
}

// paste draws a texture over the whole window.
func paste(f *app.Frame, texture uint32) {
	var from uint32
	gl.GenFramebuffers(1, &from)
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, from)
	gl.FramebufferTexture2D(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0)
	gl.BlitFramebuffer(0, 0, 2, 2, 0, 0, int32(f.Width), int32(f.Height), gl.COLOR_BUFFER_BIT,
		gl.NEAREST)
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, 0)
	gl.DeleteFramebuffers(1, &from)
}

// A texture that was made in one window is drawn in another, also after the first has been closed;
// and from a third, which shares with the second.
func TestShare_showsATextureOfAnotherWindow(t *testing.T) {
	first, _ := show(t)
	var made uint32
	first.Thread().Call(func() { made = texture() })
	second := open(t, app.Share(first))
	second.OnDraw(func(f *app.Frame) { paste(f, made) })
	run(t, second)
	size := image.Pt(200, 150)
	shoot(t, second, size)
	first.Stop()
	<-first.Done()
	shoot(t, second, size)
	var third *app.Window
	// on the thread whose context it shares
	second.Thread().Call(func() { third = open(t, app.Share(second)) })
	third.OnDraw(func(f *app.Frame) { paste(f, made) })
	run(t, third)
	shoot(t, second, size)
	second.Stop()
	<-second.Done()
	shoot(t, third, size)
}

// A window without OpenGL has frames, events and calls, but no context.
func TestWindow_hasFramesWithoutAContext(t *testing.T) {
	w := openBare(t)
	c := count(w, func(*app.Frame) {}) // OpenGL's functions may not be there
	run(t, w)
	c.exceeds(t, 3, "frames")
	r := listen(w, nil)
	resize(t, w, 123, 77)
	comes(t, r, func(e app.ResizeEvent) bool { return e.Width == 123 && e.Height == 77 })
	sizes := make(chan [2]int)
	w.OnDraw(func(f *app.Frame) {
		select {
		case sizes <- [2]int{f.Width, f.Height}:
		default:
		}
	})
	if got := <-sizes; got != [2]int{123, 77} {
		t.Errorf("the size in a frame is %v", got)
	}
	w.Thread().Call(func() {
		if glfw.GetCurrentContext() != nil {
			t.Error("there is a context")
		}
	})
	if _, err := w.Screenshot(); err == nil || !strings.Contains(err.Error(), "no context") {
		t.Errorf("Screenshot: %v", err)
	}
	w.OnDraw(nil)
	w.SetPace(app.Unlimited)
	w.SetPace(app.VSync)
	change(w)
}

// OnClose runs once, on the thread, with the context current, after the last frame, unless the
// thread has been terminated.
func TestOnClose_runsAfterTheLastFrame(t *testing.T) {
	for name, end := range map[string]func(w *app.Window){
		"Stop":       func(w *app.Window) { go w.Stop(); w.Run() },
		"before Run": func(w *app.Window) { app.Terminate() },
		// the next window gets its thread, which would use the context if that were current there
		"Thread": func(w *app.Window) {
			go w.Run()
			w.Thread().Terminate()
			<-w.Done()
			app.Terminate()
			show(t)
		},
		"OnDraw": func(w *app.Window) {
			w.OnDraw(func(*app.Frame) { panic("wrong") })
			testutil.MustPanic(t, w.Run, "wrong")
		},
		"panic": func(w *app.Window) {
			w.OnDraw(func(*app.Frame) { w.Stop() })
			testutil.MustPanic(t, w.Run, "in the end")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			n := 0
			w.OnClose(func() {
				n++
				if !w.Thread().On() || gl.GetString(gl.VERSION) == nil {
					t.Error("not on the window's thread, or there is no context")
				}
				if name == "panic" {
					panic("in the end")
				}
			})
			end(w)
			<-w.Done()
			if (n != 1) != (name == "Thread") || n > 1 {
				t.Errorf("OnClose ran %d times", n)
			}
		})
	}
}

// Do returns what has kept f from running, or GLFW's error of f.
func TestDo_returnsAnError(t *testing.T) {
	w, _ := show(t)
	title := ""
	screen.Must(t, w.Do(func(win *glfw.Window) { title = win.GetTitle() }))
	if title != t.Name() {
		t.Errorf("the title is %q", title)
	}
	for range 3 { // an error is that of one call
		for what, f := range map[string]func(*glfw.Window){
			"a panic of the binding":           func(win *glfw.Window) { win.GetInputMode(1) },
			"an error that the binding leaves": func(*glfw.Window) { glfw.UpdateGamepadMappings("0,bad") },
		} {
			if err := w.Do(f); err == nil {
				t.Errorf("%s is not returned", what)
			}
		}
		screen.Must(t, w.Do((*glfw.Window).RequestAttention))
	}
	testutil.MustPanic(t, func() { _ = w.Do(func(*glfw.Window) { panic("mine") }) }, "mine")
	w.Stop()
	<-w.Done()
	for _, want := range []error{app.ErrClosed, app.ErrNotInitialized} {
		if err := w.Do(func(*glfw.Window) { t.Error("f has run") }); err != want {
			t.Errorf("got %v, want %v", err, want)
		}
		app.Terminate()
	}
}

// Hints come after those of the package.
func TestHints_comeAfterThoseOfThePackage(t *testing.T) {
	w := open(t, app.Hidden(), app.Hints(func() {
		mainthread.Assert()
		glfw.WindowHint(glfw.OpenGLDebugContext, glfw.True)
		glfw.WindowHint(glfw.Resizable, glfw.False)
	}))
	with(t, w, func(win *glfw.Window) {
		for _, a := range []glfw.Hint{glfw.OpenGLDebugContext, glfw.Resizable} {
			got := win.GetAttrib(a)
			if (got == glfw.True) != (a == glfw.OpenGLDebugContext) {
				t.Errorf("attribute %#x is %d", a, got)
			}
		}
	})
	_, err := app.NewWindow(app.Hints(func() { glfw.WindowHint(1, 1) }))
	if err == nil || !strings.Contains(err.Error(), "0x00000001") {
		t.Errorf("a hint that does not exist: %v", err)
	}
}
