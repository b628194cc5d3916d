package main

import (
	"math"
	"sync"
)

// A view says what is seen of a picture, in screen coordinates. Any goroutine may use it.
type view struct {
	mu            sync.Mutex
	width, height float64 // of the picture; zero before the first
	scale         float64 // 1 fits the picture into the window
	x, y          float64 // how far the middle of the picture is from that of the window
	mouseX        float64
	mouseY        float64
	window        struct{ width, height float64 }
}

const (
	leastScale = 0.1
	mostScale  = 64
)

// show fits a picture of that size into the window.
func (v *view) show(width, height int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.width, v.height = float64(width), float64(height)
	v.scale, v.x, v.y = 1, 0, 0
}

// fit undoes zoom and move.
func (v *view) fit() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.scale, v.x, v.y = 1, 0, 0
}

// point says where the mouse is.
func (v *view) point(x, y float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mouseX, v.mouseY = x, y
}

// move moves the picture.
func (v *view) move(dx, dy float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.x += dx
	v.y += dy
	v.keep()
}

// zoom makes the picture larger, or smaller if steps is negative. What is under the mouse stays there.
func (v *view) zoom(steps float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.width == 0 {
		return
	}
	scale := min(max(v.scale*math.Pow(1.15, steps), leastScale), mostScale)
	k := scale / v.scale
	mx, my := v.mouseX-v.window.width/2, v.mouseY-v.window.height/2
	v.x, v.y = mx+(v.x-mx)*k, my+(v.y-my)*k
	v.scale = scale
	v.keep()
}

// keep keeps the middle of the window inside the picture, so that that cannot be lost.
func (v *view) keep() {
	w, h := v.extent()
	v.x = min(max(v.x, -w/2), w/2)
	v.y = min(max(v.y, -h/2), h/2)
}

// extent returns how large the picture appears.
func (v *view) extent() (width, height float64) {
	if v.width == 0 || v.height == 0 {
		return 0, 0
	}
	k := v.scale * min(v.window.width/v.width, v.window.height/v.height)
	return v.width * k, v.height * k
}

// place returns where the picture appears in a window of that size. Before the first picture that is the invitation.
func (v *view) place(windowWidth, windowHeight float64) (x, y, width, height float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.window.width, v.window.height = windowWidth, windowHeight
	if width, height = v.extent(); width == 0 {
		width, height = invitationSize, invitationSize
	}
	return (windowWidth-width)/2 + v.x, (windowHeight-height)/2 + v.y, width, height
}
