package main

import (
	"math"
	"testing"
)

// shown returns a view of a picture of 400 by 200 in a window of 800 by 600.
func shown() *view {
	v := &view{}
	v.place(800, 600)
	v.show(400, 200)
	return v
}

func TestAPictureIsFittedIntoTheWindow(t *testing.T) {
	for _, c := range []struct {
		width, height int
		x, y, w, h    float64
	}{
		{400, 200, 0, 100, 800, 400},
		{100, 300, 300, 0, 200, 600},
		{800, 600, 0, 0, 800, 600},
	} {
		v := shown()
		v.show(c.width, c.height)
		if x, y, w, h := v.place(800, 600); x != c.x || y != c.y || w != c.w || h != c.h {
			t.Errorf("%d by %d is at %v, %v and %v by %v", c.width, c.height, x, y, w, h)
		}
	}
}

func TestWhatIsUnderTheMouseStaysThere(t *testing.T) {
	v := shown()
	v.point(500, 250)
	x, y, w, h := v.place(800, 600)
	u1, v1 := (500-x)/w, (250-y)/h
	for _, steps := range []float64{1, 3, 5, -2} {
		v.zoom(steps)
		x, y, w, h = v.place(800, 600)
		if u2, v2 := (500-x)/w, (250-y)/h; math.Abs(u2-u1)+math.Abs(v2-v1) > 1e-9 {
			t.Fatalf("after %v steps there is %v, %v in place of %v, %v", steps, u2, v2, u1, v1)
		}
	}
}

func TestAPictureCannotBeLost(t *testing.T) {
	v := shown()
	v.zoom(1000)
	v.move(1e9, -1e9)
	x, y, w, h := v.place(800, 600)
	if x > 400 || x+w < 400 || y > 300 || y+h < 300 || math.IsInf(w, 0) {
		t.Fatalf("it is at %v, %v and %v by %v", x, y, w, h)
	}
	v.fit()
	if x, y, w, h := v.place(800, 600); x != 0 || y != 100 || w != 800 || h != 400 {
		t.Fatalf("fitted it is at %v, %v and %v by %v", x, y, w, h)
	}
}

func TestBeforeTheFirstPictureNothingMoves(t *testing.T) {
	v := &view{}
	v.zoom(3)
	v.move(10, 10)
	if x, y, w, h := v.place(800, 600); x != 400-72 || y != 300-72 || w != 144 || h != 144 {
		t.Fatalf("the invitation is at %v, %v and %v by %v", x, y, w, h)
	}
}
