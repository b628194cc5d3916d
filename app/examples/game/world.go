package main

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// A kind of things has a texture.
type kind int

const (
	ship kind = iota
	star
	rock
	kinds
)

// A thing is a square in a world from -1 to 1. Its size is half the length of an edge.
type thing struct {
	kind        kind
	x, y, size  float64
	vx, vy      float64 // a second
	angle, spin float64
}

// step is the period of the simulation, whose results do not depend on the rate of frames.
const step = time.Second / 120

// A world is simulated by one window's thread and drawn by two.
type world struct {
	mu    sync.Mutex
	all   []thing // the ship is the first
	stars int
	left  time.Duration // that has passed without a step, less than one
	next  time.Duration // until the next thing falls
}

func newWorld() *world { return &world{all: []thing{{kind: ship, y: -0.85, size: 0.12}}} }

// steer moves the ship to the left, down to -1, or to the right.
func (w *world) steer(to float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all[0].vx = 1.6 * to
}

// advance takes the steps that are due after a frame, at most those of a quarter of a second, and
// returns how many stars have been caught.
func (w *world) advance(passed time.Duration) (stars int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.left += min(passed, time.Second/4); w.left >= step; w.left -= step {
		w.step()
	}
	return w.stars
}

func (w *world) step() {
	if w.next -= step; w.next <= 0 {
		w.next = 500 * time.Millisecond
		w.all = append(w.all, thing{kind: star + kind(rand.IntN(2)), x: 1.8*rand.Float64() - 0.9,
			y: 1.2, size: 0.08 + 0.06*rand.Float64(), vy: -0.4 - 0.5*rand.Float64(),
			spin: 3*rand.Float64() - 1.5})
	}
	kept := w.all[:0]
	for _, t := range w.all {
		t.x += t.vx * step.Seconds()
		t.y += t.vy * step.Seconds()
		t.angle += t.spin * step.Seconds()
		s := &w.all[0]
		switch hit := math.Hypot(t.x-s.x, t.y-s.y) < t.size+s.size; {
		case t.kind == ship:
			t.x = min(max(t.x, -0.9), 0.9)
		case hit && t.kind == star:
			w.stars++
			continue
		case hit:
			w.stars = 0
			continue
		case t.y < -1.2:
			continue
		}
		kept = append(kept, t)
	}
	w.all = kept
}

// things returns what there is, each where it is now: between its last step and the next.
func (w *world) things() []thing {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := append([]thing(nil), w.all...)
	for i := range now {
		t := &now[i]
		t.x += t.vx * w.left.Seconds()
		t.y += t.vy * w.left.Seconds()
		t.angle += t.spin * w.left.Seconds()
	}
	return now
}
