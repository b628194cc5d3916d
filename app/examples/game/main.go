// Command game is a small game with two windows and a loader: the ship catches stars and avoids
// rocks. The arrow keys steer it, or a gamepad if there is one; F11 covers the monitor, and Escape
// ends the game. The second window shows the same world with the same textures.
//
// The textures are made on a thread of their own while the game goes on. Until one is there, things
// are drawn in one colour.
//
//	go run ./app/examples/game
package main

import (
	"flag"
	"fmt"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
)

var duration = flag.Duration("d", 0, "close the windows after this `time`; 0 leaves them open")

func main() {
	flag.Parse()
	app.Main(run)
}

func run() error {
	// the functions of EventsOnDraw and OnDraw are on one thread
	game, err := app.NewWindow(app.Title("game"), app.Size(480, 640), app.OpenGL(3, 3, gl.Init),
		app.EventsOnDraw(), at(40, 40))
	if err != nil {
		return err
	}
	radar, err := app.NewWindow(app.Title("radar"), app.Size(240, 320), app.Share(game),
		app.Pace(20), at(560, 40))
	if err != nil {
		return err
	}
	loader, err := app.NewContext(game)
	if err != nil {
		return err
	}
	for k := range textures {
		loader.Go(func() { textures[k].Store(load(kind(k))) })
	}

	world := newWorld()
	for _, w := range []*app.Window{game, radar} {
		var p *painter
		w.Thread().Call(func() { p, err = newPainter() })
		if err != nil {
			return err
		}
		caught := 0
		w.OnDraw(func(f *app.Frame) {
			if w == game {
				for _, pad := range app.Gamepads() {
					world.steer(float64(pad.Axes[glfw.AxisLeftX]))
				}
				if n := world.advance(f.Delta); n != caught {
					caught = n
					w.SetTitle(fmt.Sprintf("game: %d stars", n))
				}
			}
			p.begin(f)
			for _, t := range world.things() {
				p.draw(t)
			}
		})
	}
	keys := map[glfw.Key]float64{}
	full := false
	game.OnEvent(func(e app.Event) {
		k, ok := e.(*app.KeyEvent)
		if !ok || k.Action == glfw.Repeat {
			return
		}
		keys[k.Key] = float64(k.Action) // 1 for glfw.Press, 0 for glfw.Release
		world.steer(keys[glfw.KeyRight] - keys[glfw.KeyLeft])
		switch {
		case k.Action != glfw.Press:
		case k.Key == glfw.KeyEscape:
			game.Stop()
		case k.Key == glfw.KeyF11 && full:
			game.SetFullScreen(nil)
			full = false
		case k.Key == glfw.KeyF11:
			game.SetFullScreen(game.Monitor())
			full = true
		}
	})
	if *duration > 0 {
		time.AfterFunc(*duration, game.Stop)
	}
	go radar.Run()
	game.Run()
	return nil // Main closes the other window
}

// at is the option for the place of a window.
func at(x, y int) app.Option {
	return app.Hints(func() {
		glfw.WindowHint(glfw.PositionX, x)
		glfw.WindowHint(glfw.PositionY, y)
	})
}
