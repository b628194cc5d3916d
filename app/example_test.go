package app_test

import (
	"fmt"
	"log"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
)

// These examples are compiled, but not run: they need a screen.

func ExampleWindow_OnEvent() {
	w, err := app.NewWindow(app.OnDemand)
	if err != nil {
		log.Fatal(err)
	}
	saved := false
	w.OnEvent(func(e app.Event) {
		switch e := e.(type) {
		case *app.TextEvent:
			fmt.Printf("typed %c\n", e.Rune)
		case *app.MouseButtonEvent:
			if e.Button == glfw.MouseButtonLeft && e.Action == glfw.Press {
				fmt.Printf("clicked at %v, %v\n", e.X, e.Y)
				w.Redraw()
			}
		case *app.DropEvent:
			fmt.Println("dropped", e.Paths)
		case *app.CloseEvent:
			if !saved {
				e.Keep()
			}
		}
	})
	w.Run()
}

// With EventsOnDraw the events and the frames share variables without a mutex, because both are on
// the window's thread.
func ExampleEventsOnDraw() {
	w, err := app.NewWindow(app.OpenGL(3, 3, gl.Init), app.EventsOnDraw())
	if err != nil {
		log.Fatal(err)
	}
	var red float32
	w.OnEvent(func(e app.Event) {
		if e, ok := e.(*app.MouseMoveEvent); ok {
			red = float32(e.X) / 640
		}
	})
	w.OnDraw(func(f *app.Frame) {
		gl.ClearColor(red, 0, 0, 1)
		gl.Clear(gl.COLOR_BUFFER_BIT)
	})
	w.Run()
}
