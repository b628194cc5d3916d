package main

import (
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
)

const (
	bars   = 240
	full   = 50 * time.Millisecond // as high as the graph
	height = 110                   // of the graph, in screen coordinates
	margin = 12
)

type colour [3]float32

var (
	dark, line      = colour{0.13, 0.145, 0.17}, colour{0.43, 0.44, 0.46}
	good, late, bad = colour{0.27, 0.68, 0.42}, colour{0.93, 0.70, 0.25}, colour{0.95, 0.38, 0.29}
)

// A graph shows how long the last frames took, a bar each, with lines at 1/60 and 1/30 s. All are
// rectangles that are cleared in a colour.
type graph struct {
	times [bars]float64 // of full, a ring
	next  int           // the oldest
}

// draw adds the time of a frame in place of the oldest.
func (g *graph) draw(f *app.Frame) {
	g.times[g.next] = min(f.Delta.Seconds()/full.Seconds(), 1)
	g.next = (g.next + 1) % bars
	pixels := float64(f.Width) / float64(max(f.ScreenWidth, 1)) // a screen coordinate
	left, w, h := margin*pixels, float64(f.Width)-2*margin*pixels, height*pixels
	fill := func(x, y, width, height float64, c colour) { // of the graph
		gl.Scissor(int32(left+x*w), int32(left+y*h), int32(width*w)+1, int32(height*h))
		gl.ClearColor(c[0], c[1], c[2], 1)
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	gl.Enable(gl.SCISSOR_TEST)
	fill(0, 0, 1, 1, dark)
	for i := range bars {
		t, c := g.times[(g.next+i)%bars], good
		if t > 0.70 {
			c = bad
		} else if t > 0.36 {
			c = late
		}
		fill(float64(i)/bars, 0, 0.5/bars, t, c)
	}
	fill(0, 1/3.0, 1, 0.012, line)
	fill(0, 2/3.0, 1, 0.012, line)
	gl.Disable(gl.SCISSOR_TEST)
}
