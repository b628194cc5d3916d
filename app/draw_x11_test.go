//go:build !windows && !darwin

package app_test

import (
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
)

// What the screen shows is compared with what was drawn, and with what the screenshot says.
func TestTheScreenShowsWhatWasDrawn(t *testing.T) {
	w := open(t)
	w.OnDraw(quarters)
	run(t, w)
	eventually(t, func() bool {
		for i, want := range corners {
			if onScreen(t, w, 50+i%2*100, 37+i/2*75) != want {
				return false
			}
		}
		return true
	}, "the four colours on the screen")
}

// While the user drags the border, frames are drawn in the new sizes, and calls are served.
func TestDrawingAndCallsGoOnDuringResizes(t *testing.T) {
	w := open(t)
	sizes := make(chan int, 10_000)
	w.OnDraw(func(f *app.Frame) {
		quarters(f)
		select {
		case sizes <- f.Width:
		default:
		}
	})
	r := listen(w, nil)
	run(t, w)
	stop := make(chan struct{})
	called := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				called <- n
				return
			default:
				w.SetTitle("dragged")
				n++
			}
		}
	}()
	const steps = 150
	for i := range steps {
		resize(t, w, 200+i, 150+i)
		time.Sleep(time.Millisecond)
	}
	comes(t, r, func(e app.ResizeEvent) bool { return e.Width == 199+steps })
	close(stop)
	if n := arrives(t, called); n < steps {
		t.Errorf("%d calls were served during %d changes of size", n, steps)
	}
	p, err := w.Screenshot()
	if err != nil {
		t.Fatal(err)
	}
	if p.Rect.Dx() != 199+steps || cornersOf(p) != corners {
		t.Errorf("after the changes the picture is %v, %v", p.Rect, cornersOf(p))
	}
	different := map[int]bool{}
	for len(sizes) > 0 {
		different[<-sizes] = true
	}
	if len(different) < 3 {
		t.Errorf("frames were drawn in the widths %v only", different)
	}
}
