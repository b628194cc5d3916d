package main

import (
	"fmt"
	"image"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
)

const tileSize = 64

// A canvas is a window that shows what goroutines compute.
type canvas struct {
	win     *app.Win
	picture *gpu.Picture        // the window's thread's
	wanted  atomic.Pointer[job] // the goroutines of another end
	workers sync.WaitGroup
}

// A job is a picture to compute.
type job struct {
	sight         sight
	width, height int
	tiles         []image.Rectangle // in the order in which they are computed
	next          atomic.Int64      // tile
	began         time.Time
	shown         int // tiles; the window's thread's
}

func newJob(s sight, width, height int) *job {
	j := &job{sight: s, width: width, height: height, began: time.Now()}
	all := image.Rect(0, 0, width, height)
	for y := 0; y < height; y += tileSize {
		for x := 0; x < width; x += tileSize {
			j.tiles = append(j.tiles, image.Rect(x, y, x+tileSize, y+tileSize).Intersect(all))
		}
	}
	distance := func(r image.Rectangle) int { // from the middle, where one looks first
		d := r.Min.Add(r.Max).Sub(all.Max)
		return d.X*d.X + d.Y*d.Y
	}
	slices.SortFunc(j.tiles, func(a, b image.Rectangle) int { return distance(a) - distance(b) })
	return j
}

// begin ends the job before and begins one.
func (c *canvas) begin(s sight, width, height int) {
	if width < 1 || height < 1 { // minimized
		return
	}
	j := newJob(s, width, height)
	c.wanted.Store(j)
	c.win.Thread().Go(func() { c.picture.Upload(image.NewRGBA(image.Rect(0, 0, width, height))) })
	for range runtime.GOMAXPROCS(0) {
		c.workers.Go(func() { c.work(j) })
	}
}

// stop waits until nothing is computed.
func (c *canvas) stop() {
	c.wanted.Store(nil)
	c.workers.Wait()
}

// work computes tiles and hands each to the window's thread, until none is left, or another job is wanted, or the window
// is closed.
func (c *canvas) work(j *job) {
	wanted := func() bool { return c.wanted.Load() == j }
	for {
		n := int(j.next.Add(1)) - 1
		if n >= len(j.tiles) {
			return
		}
		tile := image.NewRGBA(j.tiles[n])
		if !j.sight.compute(tile, j.width, j.height, wanted) || !c.win.Thread().Call(func() { c.show(j, tile) }) {
			return
		}
	}
}

// show shows a tile and reports the progress. It runs on the window's thread.
func (c *canvas) show(j *job, tile *image.RGBA) {
	if c.wanted.Load() != j {
		return
	}
	c.picture.Patch(tile)
	j.shown++
	c.win.Redraw()
	switch all := len(j.tiles); {
	case j.shown == all:
		c.win.SetTitle(fmt.Sprintf("workers: %d tiles in %v", all, time.Since(j.began).Round(time.Millisecond)))
	case 100*j.shown/all != 100*(j.shown-1)/all:
		c.win.SetTitle(fmt.Sprintf("workers: %d %%", 100*j.shown/all))
	}
}
