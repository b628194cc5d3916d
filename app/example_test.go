package app_test

import (
	"fmt"
	"image/png"
	"log"
	"os"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

// These examples are compiled, but not run: they need a screen.

func Example() {
	mainthread.Init(func() {
		if err := app.Init(); err != nil {
			log.Fatal(err) // it says what is missing, and what to install
		}
		defer app.Terminate()
		w, err := app.NewWindow(app.Title("hello"), app.Size(800, 600))
		if err != nil {
			log.Fatal(err)
		}
		w.OnDraw(func(f *app.Frame) {
			gl.ClearColor(0, 0, float32(f.Time%time.Second)/1e9, 1)
			gl.Clear(gl.COLOR_BUFFER_BIT)
		})
		w.OnEvent(func(e app.Event) {
			if k, ok := e.(*app.KeyEvent); ok && k.Key == app.KeyEscape {
				w.Stop()
			}
		})
		w.Run() // until the window is closed
	})
}

// Windows that run beside each other, each at its own rate.
func ExampleNewWindow() {
	closed := make(chan struct{})
	for _, rate := range []float64{60, 10} {
		w, err := app.NewWindow(app.Title(fmt.Sprintf("%v frames a second", rate)), app.FrameRate(rate))
		if err != nil {
			log.Fatal(err)
		}
		w.OnDraw(func(f *app.Frame) {
			gl.ClearColor(float32(f.Number%60)/60, 0, 0, 1)
			gl.Clear(gl.COLOR_BUFFER_BIT)
		})
		go func() { w.Run(); closed <- struct{}{} }()
	}
	<-closed
	<-closed
}

func ExampleWin_OnDraw() {
	w, err := app.NewWindow()
	if err != nil {
		log.Fatal(err)
	}
	x := 0.0
	w.OnDraw(func(f *app.Frame) {
		x += f.Delta.Seconds() * 100 // a hundred pixels a second, however fast the frames come
		gl.Enable(gl.SCISSOR_TEST)
		gl.Scissor(int32(x)%int32(f.Width), 0, 10, int32(f.Height))
		gl.ClearColor(1, 1, 1, 1)
		gl.Clear(gl.COLOR_BUFFER_BIT)
		gl.Disable(gl.SCISSOR_TEST)
	})
	w.Run()
}

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

func ExampleWin_Screenshot() {
	w, err := app.NewWindow()
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		defer w.Stop()
		picture, err := w.Screenshot()
		if err != nil {
			log.Print(err)
			return
		}
		f, err := os.Create("window.png")
		if err != nil {
			log.Print(err)
			return
		}
		defer f.Close()
		if err := png.Encode(f, picture); err != nil {
			log.Print(err)
		}
	}()
	w.Run()
}

func ExampleMonitors() {
	monitors, err := app.Monitors()
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range monitors {
		fmt.Printf("%s at %v, %d pictures a second\n", m.Name, m.Bounds.Min, m.Mode.RefreshRate)
	}
	w, err := app.NewWindow(app.Fullscreen(monitors[len(monitors)-1]))
	if err != nil {
		log.Fatal(err)
	}
	w.Run()
}
