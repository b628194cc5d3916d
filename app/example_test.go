package app_test

import (
	"fmt"
	"log"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
)

// These examples are compiled, but not run: they need a screen.

func ExampleWin_OnEvent() {
	w, err := app.NewWindow(app.OnDemand())
	if err != nil {
		log.Fatal(err)
	}
	saved := false
	w.OnEvent(func(e app.Event) {
		switch e := e.(type) {
		case *app.TextEvent:
			fmt.Printf("typed %c\n", e.Rune)
		case *app.MouseButtonEvent:
			if e.Button == app.MouseLeft && e.Action == app.Press {
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

// Textures are made where the window's context is current, between two frames.
func ExampleWin_Thread() {
	w, err := app.NewWindow()
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		pixels := make([]byte, 4*64*64) // decoded meanwhile, on any thread
		var texture uint32
		w.Thread().Call(func() {
			gl.GenTextures(1, &texture)
			gl.BindTexture(gl.TEXTURE_2D, texture)
			gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 64, 64, 0, gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(pixels))
		})
	}()
	w.Run()
}
