// Command viewer shows pictures: those that it is called with, and those that are dropped onto its
// window.
//
//	go run ./app/examples/viewer picture.png holiday/*.jpg
//
// The arrow keys show the next and the previous one, F fills the screen, and Escape ends the
// program. A goroutine reads the files, so that the window does not wait for them. A frame is drawn
// only when something has changed.
package main

import (
	"flag"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // the formats that it reads
	_ "image/jpeg"
	_ "image/png"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

var duration = flag.Duration("d", 0, "close the window after this `time`; 0 leaves it open")

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
	w, err := app.NewWindow(app.Title("viewer: drop pictures here"), app.Size(960, 640),
		app.OnDemand())
	if err != nil {
		return err
	}
	v := &viewer{win: w, wanted: make(chan request, 1)}
	w.Thread().Call(func() { v.picture, err = newPicture() })
	if err != nil {
		return err
	}
	go v.load()
	defer close(v.wanted)
	v.add(files)
	w.OnDraw(v.draw)
	w.OnEvent(v.event)
	if *duration > 0 {
		time.AfterFunc(*duration, w.Stop)
	}
	w.Run()
	return nil
}

// A viewer is a window with a list of files.
type viewer struct {
	win    *app.Win
	wanted chan request // holds the last one

	// The goroutine that runs the window uses these.
	files      []string
	at         int // the wanted file
	fullscreen bool

	// The window's thread uses these, so that no lock is needed.
	picture *picture
	size    image.Point // of the picture
}

// A request is a file to show.
type request struct{ file, place string }

// load reads one file at a time. A file that cannot be shown is named in the title, and the picture
// stays.
func (v *viewer) load() {
	for r := range v.wanted {
		m, err := read(r.file)
		if err != nil {
			v.win.SetTitle(fmt.Sprintf("%s %s", r.place, err))
			continue
		}
		v.win.Thread().Call(func() {
			v.picture.upload(m)
			v.size = m.Rect.Size()
		})
		v.win.Redraw()
		v.win.SetTitle(fmt.Sprintf("%s %s: %d × %d", r.place, filepath.Base(r.file), m.Rect.Dx(),
			m.Rect.Dy()))
	}
}

func read(file string) (*image.RGBA, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	upright := image.NewRGBA(image.Rectangle{Max: m.Bounds().Size()})
	draw.Draw(upright, upright.Rect, m, m.Bounds().Min, draw.Src)
	return upright, nil
}

func (v *viewer) draw(f *app.Frame) {
	gl.ClearColor(0.09, 0.10, 0.12, 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	if v.size.X > 0 {
		k := min(float64(f.Width)/float64(v.size.X), float64(f.Height)/float64(v.size.Y))
		v.picture.draw(k*float64(v.size.X)/float64(f.Width), k*float64(v.size.Y)/float64(f.Height))
	}
}

func (v *viewer) event(e app.Event) {
	switch e := e.(type) {
	case *app.DropEvent:
		v.add(e.Paths)
	case *app.KeyEvent:
		if e.Action != app.Release {
			v.key(e.Key)
		}
	}
}

func (v *viewer) key(k app.Key) {
	switch k {
	case app.KeyRight, app.KeyDown, app.KeySpace:
		v.show(v.at + 1)
	case app.KeyLeft, app.KeyUp:
		v.show(v.at - 1)
	case app.KeyF:
		if v.fullscreen = !v.fullscreen; !v.fullscreen {
			v.win.Windowed()
		} else if monitors, err := app.Monitors(); err == nil && len(monitors) > 0 {
			_ = v.win.Fullscreen(monitors[0])
		}
	case app.KeyEscape:
		v.win.Stop()
	}
}

// add appends files to the list and shows the first of them.
func (v *viewer) add(files []string) {
	v.files = append(v.files, files...)
	if len(files) > 0 {
		v.show(len(v.files) - len(files))
	}
}

// show requests a file in place of the one that has been requested and is not being read yet. The
// first comes after the last.
func (v *viewer) show(at int) {
	n := len(v.files)
	if n == 0 {
		return
	}
	v.at = (at%n + n) % n
	select {
	case <-v.wanted:
	default:
	}
	v.wanted <- request{v.files[v.at], fmt.Sprintf("%d of %d:", v.at+1, n)}
}
