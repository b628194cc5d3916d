package main

import (
	"image"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
)

// A canvas is what the window shows: the tiles that are there, and a bar that says how many those are. What does not
// say otherwise belongs to the window's thread.
type canvas struct {
	win     *app.Win // for all
	picture *gpu.Picture
	blank   *image.RGBA
	job     *job // whose tiles are seen
}

func newCanvas(w *app.Win) (*canvas, error) {
	p, err := gpu.NewPicture(false)
	return &canvas{win: w, picture: p, blank: &image.RGBA{}}, err
}

// begin clears the canvas for a job. Any goroutine may call it.
func (c *canvas) begin(j *job) {
	c.win.Thread().Go(func() {
		c.job = j
		if all := image.Rect(0, 0, j.width, j.height); c.blank.Rect != all {
			c.blank = image.NewRGBA(all) // transparent, so that the ground is seen
		}
		c.picture.Upload(c.blank)
		c.win.Redraw()
	})
}

// add shows a tile, unless its job has been given up. It returns the tile to its worker.
func (c *canvas) add(t *tile) {
	if c.job == t.job {
		c.picture.Patch(t.pixels)
		c.job.shown++
		c.win.Redraw()
	}
	t.free <- t
}

func (c *canvas) draw(f *app.Frame) {
	gl.Clear(gl.COLOR_BUFFER_BIT)
	w, h := float64(f.ScreenWidth), float64(f.ScreenHeight)
	c.picture.Draw(w, h, 0, 0, w, h)
	if j := c.job; j != nil && j.shown < len(j.places) {
		gl.Enable(gl.SCISSOR_TEST)
		gl.Scissor(0, 0, int32(f.Width*j.shown/len(j.places)), int32(max(f.Height/120, 3)))
		gl.ClearColor(0.93, 0.70, 0.25, 1)
		gl.Clear(gl.COLOR_BUFFER_BIT)
		gl.ClearColor(0, 0, 0, 1)
		gl.Disable(gl.SCISSOR_TEST)
	}
}
