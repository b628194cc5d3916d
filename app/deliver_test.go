package app_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
)

// Events may be sent on a channel and read at any later time, by type and by value, while others come and the garbage
// collector runs.
func TestEvent_channel(t *testing.T) {
	w, _ := show(t)
	const many = 1000
	sent := make(chan app.Event, 20*many)
	r := listen(w, func(e app.Event) { sent <- e })
	focus(t, w, r)
	for i := range many {
		x.Move(t, 10+i%150, 10+i%100)
		if i%100 == 0 {
			x.Type(t, 'a')
			runtime.GC()
		}
	}
	x.Type(t, 'z')
	comes(t, r, func(e app.KeyEvent) bool { return e.Key == app.KeyZ && e.Action == app.Release })
	w.Stop()
	<-w.Done()
	runtime.GC()
	close(sent)
	var late []any
	for e := range sent {
		switch e := e.(type) {
		case *app.MouseMoveEvent:
			late = append(late, *e)
		case *app.KeyEvent:
			late = append(late, *e)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delivered := slices.DeleteFunc(r.all, func(v any) bool {
		switch v.(type) {
		case app.MouseMoveEvent, app.KeyEvent:
			return false
		}
		return true
	})
	if !slices.Equal(late, delivered) || len(late) < many/2 {
		t.Errorf("%d events are not the %d that were delivered", len(late), len(delivered))
	}
}

// The functions given to OnEvent and OnDraw run on one thread; the race detector would report count.
func TestEventsOnDraw(t *testing.T) {
	w := open(t, app.EventsOnDraw())
	count, drawn := 0, make(chan int)
	c := countFrames(w, func() {
		select {
		case drawn <- count:
		default:
		}
	})
	r := listen(w, func(e app.Event) {
		if !w.Thread().On() {
			t.Error("an event is delivered on another thread")
		}
		if _, ok := e.(*app.MouseMoveEvent); ok {
			count++
		}
	})
	run(t, w)
	c.goesOn(t, 1, "the first frame")
	const many = 100
	for i := range many {
		x.Move(t, 10+i, 10)
	}
	comes(t, r, func(e app.MouseMoveEvent) bool { return e.X == 10+many-1 })
	if n := <-drawn; n < many-1 { // the mouse may have been at the first place
		t.Errorf("a frame has seen %d events, want %d", n, many)
	}
}

func countFrames(w *app.Win, draw func()) *counter {
	return count(w, func(*app.Frame) { draw() })
}

// Events that come while no frame is drawn are delivered, and cause none.
func TestEventsOnDraw_noFrame(t *testing.T) {
	for name, opts := range map[string][]app.Option{
		"OnDemand":  {app.OnDemand(), app.EventsOnDraw()},
		"FrameRate": {app.FrameRate(0.001), app.EventsOnDraw()},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := show(t, opts...)
			r := listen(w, func(e app.Event) {
				if !w.Thread().On() {
					t.Error("an event is delivered on another thread")
				}
				if e, ok := e.(*app.KeyEvent); ok && e.Key == app.KeyR && e.Action == app.Press {
					w.Redraw()
				}
			})
			focus(t, w, r)
			before := c.steady(t)
			for i := range 50 {
				x.Move(t, 10+i, 20)
			}
			comes(t, r, func(e app.MouseMoveEvent) bool { return e.X == 59 })
			if n := c.steady(t); n != before {
				t.Errorf("events have caused %d frames", n-before)
			}
			if name == "OnDemand" {
				x.Type(t, 'r')
				c.goesOn(t, 0, "the key")
				c.exceeds(t, before, "the frame that an event requested")
			}
		})
	}
}

func TestEventsOnDraw_close(t *testing.T) {
	for name, opt := range map[string]app.Option{"each frame": nil, "OnDemand": app.OnDemand()} {
		t.Run(name, func(t *testing.T) {
			w, c := show(t, app.EventsOnDraw(), opt)
			keep := true
			r := listen(w, func(e app.Event) {
				if e, ok := e.(*app.CloseEvent); ok && keep {
					keep = false
					e.Keep()
				}
			})
			click := func() {
				x.Send(t, id(w), "WM_PROTOCOLS", uint32(x.Atom(t, "WM_DELETE_WINDOW")), xproto.TimeCurrentTime)
			}
			click()
			comes(t, r, func(app.CloseEvent) bool { return true })
			before := c.n.Load()
			w.Redraw()
			c.exceeds(t, before, "a frame after Keep")
			click()
			<-w.Done()
		})
	}
}

// What the handler does to its window's thread, Run does to its caller.
func TestEventsOnDraw_fails(t *testing.T) {
	wrong := errors.New("wrong")
	for name, opt := range map[string]app.Option{"each frame": nil, "OnDemand": app.OnDemand()} {
		for what, do := range map[string]func(){"panic": func() { panic(wrong) }, "Goexit": runtime.Goexit, "Terminate": app.Terminate} {
			t.Run(name+"/"+what, func(t *testing.T) {
				_, other := show(t)
				w := open(t, app.EventsOnDraw(), opt)
				w.OnDraw(quarters)
				w.OnEvent(func(e app.Event) {
					if _, ok := e.(*app.ResizeEvent); ok {
						do()
					}
				})
				w.SetSize(300, 300)
				var v any
				returned, ended := false, make(chan struct{})
				go func() {
					defer close(ended)
					defer func() { v = recover() }()
					w.Run()
					returned = true
				}()
				<-ended
				switch {
				case returned:
					t.Error("Run has returned")
				case what == "panic" && v != wrong, what == "Goexit" && v != nil, what == "Terminate" && v == nil:
					t.Errorf("Run panicked with %v", v)
				}
				other.goesOn(t, 2, "frames of another window")
			})
		}
	}
}

// Events that came before Run are delivered after it, on the thread.
func TestEventsOnDraw_beforeRun(t *testing.T) {
	w := open(t, app.EventsOnDraw(), app.OnDemand())
	w.SetSize(222, 111)
	screen.Wait(t, func() bool { width, _ := w.Size(); return width == 222 }, "the size")
	r := listen(w, nil)
	run(t, w)
	comes(t, r, func(e app.ResizeEvent) bool { return e.ScreenWidth == 222 })
}
