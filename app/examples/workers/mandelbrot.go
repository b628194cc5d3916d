package main

import (
	"image"
	"image/color"
	"math"
)

// A sight is the part of the plane that is seen.
type sight struct {
	x, y   float64 // the middle
	height float64
}

var whole = sight{-0.6, 0, 2.6}

const deepest = 1e-12 // where the pixels come near to what a float64 can tell apart

// zoom makes what is seen larger by factor. The point that is at (u, v), from 0 to 1 across the window, stays there.
func (s sight) zoom(factor, u, v float64, windowWidth, windowHeight int) sight {
	if h := s.height * factor; h < deepest || h > 8 {
		return s
	}
	aspect := float64(windowWidth) / float64(max(windowHeight, 1))
	dx, dy := (u-0.5)*s.height*aspect, (v-0.5)*s.height
	return sight{s.x + dx*(1-factor), s.y + dy*(1-factor), s.height * factor}
}

// steps is how often a point is tried: the deeper, the more often.
func (s sight) steps() int {
	return 200 + int(80*math.Max(0, math.Log2(whole.height/s.height)))
}

// compute fills the part m of a picture of that size. It gives up, and returns false, once wanted does.
func (s sight) compute(m *image.RGBA, width, height int, wanted func() bool) bool {
	pixel := s.height / float64(height)
	steps := s.steps()
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		if !wanted() {
			return false
		}
		ci := s.y + (float64(y)-float64(height)/2)*pixel
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			cr := s.x + (float64(x)-float64(width)/2)*pixel
			m.SetRGBA(x, y, paint(escape(cr, ci, steps)))
		}
	}
	return true
}

// escape returns after how many steps the point leaves, with a fraction that makes the colours smooth, or -1 if it does
// not.
func escape(cr, ci float64, steps int) float64 {
	var zr, zi float64
	for n := range steps {
		r2, i2 := zr*zr, zi*zi
		if r2+i2 > 256 {
			return math.Max(float64(n)+1-math.Log2(math.Log2(r2+i2)/8), 0)
		}
		zr, zi = r2-i2+cr, 2*zr*zi+ci
	}
	return -1
}

// The colours, in a circle: from n on until the next one, they change from one to the other.
var palette = []struct {
	from    float64
	r, g, b float64
}{{0, 6, 12, 60}, {0.18, 24, 92, 190}, {0.42, 225, 245, 255}, {0.62, 255, 176, 40}, {0.84, 96, 24, 30}, {1, 6, 12, 60}}

func paint(n float64) color.RGBA {
	if n < 0 {
		return color.RGBA{8, 9, 12, 255}
	}
	_, t := math.Modf(math.Pow(math.Log2(n+1)/8, 1.6))
	i := 1
	for palette[i].from < t {
		i++
	}
	a, b := palette[i-1], palette[i]
	k := (t - a.from) / (b.from - a.from)
	mix := func(x, y float64) uint8 { return uint8(x + k*(y-x)) }
	return color.RGBA{mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), 255}
}
