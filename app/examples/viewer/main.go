// Command viewer shows pictures: those that it is called with, and those that are dropped onto its window.
//
//	go run ./app/examples/viewer picture.png holiday/*.jpg
//
// The arrow keys show the next and the last one. The wheel zooms, dragging moves, 0 fits the picture into the window
// again, F fills the screen, and Escape leaves. Files are read by a goroutine of their own, so that the window does not
// wait for them; a frame is drawn only when something has changed.
package main

import (
	"flag"
	"log"
	"os"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
	"github.com/threadcall/threadcall/mainthread"
)

var duration = flag.Duration("d", 0, "close the window after this `time`; 0 leaves that to you")

func main() {
	flag.Parse()
	mainthread.Init(func() {
		if err := run(flag.Args()); err != nil {
			log.Print(err)
			os.Exit(1)
		}
	})
}

func run(files []string) error {
	if err := app.Init(); err != nil {
		return err
	}
	defer app.Terminate()
	w, err := app.NewWindow(app.Title("viewer: drop pictures here"), app.Size(960, 640), app.OnDemand())
	if err != nil {
		return err
	}
	v := &viewer{win: w}
	w.Thread().Call(func() {
		if v.picture, err = gpu.NewPicture(true); err == nil {
			v.picture.Upload(invitation())
			v.largest = gpu.MaxSize()
		}
	})
	if err != nil {
		return err
	}
	v.loader = newLoader(v.loaded)
	defer v.loader.stop()
	v.add(files)
	w.OnDraw(v.draw)
	w.OnEvent(v.event)
	if *duration > 0 {
		time.AfterFunc(*duration, w.Stop)
	}
	w.Run()
	return nil
}

// A viewer is a window with a list of files. What does not say otherwise belongs to the goroutine that runs the window.
type viewer struct {
	win    *app.Win
	files  []string
	at     int // the file that is wanted
	loader *loader
	full   bool
	drag   struct {
		on   bool
		x, y float64
	}
	largest int // picture that the graphics card takes

	view    view         // what is seen of the picture; for all goroutines
	picture *gpu.Picture // the window's thread's
}

func (v *viewer) draw(f *app.Frame) {
	gl.ClearColor(0.09, 0.10, 0.12, 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	width, height := float64(f.ScreenWidth), float64(f.ScreenHeight)
	x, y, w, h := v.view.place(width, height)
	v.picture.Draw(width, height, x, y, w, h)
}

func (v *viewer) event(e app.Event) {
	switch e := e.(type) {
	case *app.DropEvent:
		v.add(e.Paths)
	case *app.KeyEvent:
		if e.Action != app.Release {
			v.key(e.Key, e.Action == app.Repeat)
		}
	case *app.ScrollEvent:
		v.view.zoom(e.DY)
		v.win.Redraw()
	case *app.MouseButtonEvent:
		if e.Button == app.MouseLeft {
			v.drag.on, v.drag.x, v.drag.y = e.Action == app.Press, e.X, e.Y
		}
	case *app.MouseMoveEvent:
		v.view.point(e.X, e.Y)
		if v.drag.on {
			v.view.move(e.X-v.drag.x, e.Y-v.drag.y)
			v.drag.x, v.drag.y = e.X, e.Y
			v.win.Redraw()
		}
	}
}

func (v *viewer) key(k app.Key, held bool) {
	switch k {
	case app.KeyRight, app.KeyDown, app.KeySpace:
		v.show(v.at + 1)
	case app.KeyLeft, app.KeyUp:
		v.show(v.at - 1)
	case app.Key0:
		v.view.fit()
		v.win.Redraw()
	case app.KeyF:
		if !held {
			v.fullscreen(!v.full)
		}
	case app.KeyEscape:
		switch {
		case v.full:
			v.fullscreen(false)
		case !held:
			v.win.Stop()
		}
	}
}

func (v *viewer) fullscreen(full bool) {
	v.full = full
	if !full {
		v.win.Windowed()
		return
	}
	if monitors, err := app.Monitors(); err == nil && len(monitors) > 0 {
		v.full = v.win.Fullscreen(monitors[0]) == nil
	}
}

// add appends files to the list and shows the first of them.
func (v *viewer) add(files []string) {
	if len(files) > 0 {
		v.files = append(v.files, files...)
		v.show(len(v.files) - len(files))
	}
}

// show has a file loaded; after the last comes the first.
func (v *viewer) show(at int) {
	if n := len(v.files); n > 0 {
		v.at = (at%n + n) % n
		v.loader.load(request{v.files[v.at], v.at, n, v.largest})
	}
}

// loaded is told by the loader what came of a request. A file that cannot be shown is named in the title, and the
// picture that is shown stays.
func (v *viewer) loaded(r request, m *picture, err error) {
	if err == nil {
		v.win.Thread().Call(func() {
			v.picture.Upload(m)
			v.view.show(m.Rect.Dx(), m.Rect.Dy())
		})
		v.win.Redraw()
	}
	v.win.SetTitle(r.title(m, err))
}
