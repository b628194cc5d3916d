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

const deepest = 1e-12 // where the pixels come near to the precision of a float64

// zoom makes the part factor times as large. The point at (u, v), from 0 to 1 across the window, stays there.
func (s sight) zoom(factor, u, v float64, windowWidth, windowHeight int) sight {
	if h := s.height * factor; h < deepest || h > 8 {
		return s
	}
	aspect := float64(windowWidth) / float64(max(windowHeight, 1))
	dx, dy := (u-0.5)*s.height*aspect, (v-0.5)*s.height
	return sight{s.x + dx*(1-factor), s.y + dy*(1-factor), s.height * factor}
}

// compute fills the part m of a picture of that size. It returns false once wanted does.
func (s sight) compute(m *image.RGBA, width, height int, wanted func() bool) bool {
	pixel := s.height / float64(height)
	steps := 200 + int(80*math.Max(0, math.Log2(whole.height/s.height))) // the deeper, the more
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

// paint returns the colour of a point that leaves after n steps.
func paint(n float64) color.RGBA {
	if n < 0 {
		return color.RGBA{8, 9, 12, 255}
	}
	wave := func(phase float64) uint8 { return uint8(128 - 120*math.Cos(1.3*math.Log2(n+1)-phase)) }
	return color.RGBA{wave(1.2), wave(0.6), wave(0), 255}
}
