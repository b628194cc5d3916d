package main

import (
	"image"
	"math"
	"testing"
)

func TestTheTilesOfAJobCoverThePicture(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {64, 64}, {65, 63}, {960, 640}, {1000, 3}} {
		j := newJob(whole, size.X, size.Y)
		covered := make([]int, size.X*size.Y)
		for _, r := range j.places {
			if r.Dx() > tileSize || r.Dy() > tileSize {
				t.Fatalf("%v: a tile is %v", size, r)
			}
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					covered[y*size.X+x]++
				}
			}
		}
		for i, n := range covered {
			if n != 1 {
				t.Fatalf("%v: pixel %d is in %d tiles", size, i, n)
			}
		}
	}
}

func TestZoomKeepsThePointUnderTheMouse(t *testing.T) {
	const width, height, u, v = 960, 640, 0.3, 0.8
	at := func(s sight) (x, y float64) {
		return s.x + (u-0.5)*s.height*width/height, s.y + (v-0.5)*s.height
	}
	s := whole
	x1, y1 := at(s)
	for range 100 {
		s = s.zoom(0.5, u, v, width, height)
		if x2, y2 := at(s); math.Abs(x2-x1)+math.Abs(y2-y1) > 1e-12 {
			t.Fatalf("at a height of %v it has become %v, %v", s.height, x2, y2)
		}
	}
	if s.height < deepest {
		t.Errorf("the height is %v", s.height)
	}
}

func TestEveryNumberOfStepsHasAColour(t *testing.T) {
	for n := -1.0; n < 1e5; n = n*1.01 + 0.1 {
		if c := paint(n); c.A != 255 {
			t.Fatalf("paint(%v) is %v", n, c)
		}
	}
	if n := escape(0, 0, 1000); n != -1 {
		t.Errorf("the middle leaves after %v steps", n)
	}
	if n := escape(2, 2, 1000); n < 0 || n > 4 {
		t.Errorf("a point outside leaves after %v steps", n)
	}
}

func TestAJobThatIsNotWantedIsGivenUp(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, tileSize, tileSize))
	rows := 0
	if whole.compute(m, tileSize, tileSize, func() bool { rows++; return rows < 5 }) {
		t.Error("it has been computed")
	}
	if rows != 5 {
		t.Errorf("it was given up after %d rows", rows)
	}
}
