package main

import (
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // the formats that can be read
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
)

type picture = image.RGBA

// A request is a file that shall be shown.
type request struct {
	file    string
	at, of  int // its place in the list
	largest int // width or height that can be shown
}

func (r request) title(m *picture, err error) string {
	what := ""
	if err != nil {
		what = err.Error()
	} else {
		what = fmt.Sprintf("%d × %d", m.Rect.Dx(), m.Rect.Dy())
	}
	return fmt.Sprintf("%s (%d of %d): %s", filepath.Base(r.file), r.at+1, r.of, what)
}

// A loader reads one file at a time. If the user is faster, it leaves those out that came in between.
type loader struct {
	next  chan request // holds the last request
	ended chan struct{}
}

func newLoader(tell func(request, *picture, error)) *loader {
	l := &loader{next: make(chan request, 1), ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		for r := range l.next {
			m, err := read(r)
			tell(r, m, err)
		}
	}()
	return l
}

// load has r read in place of what has been asked for and is not being read yet. Only one goroutine may call it.
func (l *loader) load(r request) {
	select {
	case <-l.next:
	default:
	}
	l.next <- r
}

func (l *loader) stop() {
	close(l.next)
	<-l.ended
}

// read reads a picture, the first one if the file has several.
func read(r request) (*picture, error) {
	f, err := os.Open(r.file)
	if err != nil {
		return nil, fmt.Errorf("cannot be opened: %w", reason(err))
	}
	defer f.Close()
	size, _, err := image.DecodeConfig(f) // before there is memory for all of it
	if err != nil {
		return nil, fmt.Errorf("is no PNG, JPEG or GIF that can be read: %w", reason(err))
	}
	if size.Width > r.largest || size.Height > r.largest {
		return nil, fmt.Errorf("is too large: %d × %d pixels; at most %d can be shown", size.Width, size.Height, r.largest)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, err
	}
	m, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("is damaged: %w", reason(err))
	}
	if m.Bounds().Empty() {
		return nil, fmt.Errorf("is empty")
	}
	upright := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(upright, upright.Rect, m, m.Bounds().Min, draw.Src)
	return upright, nil
}

// reason leaves out the name of the file, which the title has anyway.
func reason(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}
