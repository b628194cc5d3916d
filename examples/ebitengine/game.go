package main

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"

	"github.com/threadcall/threadcall/examples/internal/meter"
	"github.com/threadcall/threadcall/mainthread"
)

const width, height = 480, 100

// A game shows how long calls to the main thread take.
type game struct {
	mode    string
	started func() // called once, by the first Update after the first Draw
	drawn   bool
	meter   meter.Meter
	over    atomic.Bool
}

func (g *game) Update() error {
	if g.drawn && g.started != nil {
		g.started()
		g.started = nil
	}
	if mainthread.On() { // in the modes in which Ebitengine uses one thread
		serve()
	}
	if g.over.Load() {
		return ebiten.Termination
	}
	return nil
}

func (g *game) Layout(int, int) (int, int) { return width, height }

func (g *game) Draw(screen *ebiten.Image) {
	g.drawn = true
	ebitenutil.DebugPrint(screen, fmt.Sprintf("mode %s, %.0f frames/s\n%s",
		g.mode, ebiten.ActualFPS(), strings.ReplaceAll(g.meter.String(), ", ", "\n")))
}
