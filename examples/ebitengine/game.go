package main

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"
	"github.com/hajimehoshi/ebiten/v2/vector"

	"github.com/threadcall/threadcall/mainthread"
)

const width, height = 480, 320

// A game draws how long calls to the main thread have taken.
type game struct {
	mode    string
	started func() // called once, by the first Update after the first Draw
	drawn   bool
	meter   meter
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
	screen.Fill(color.RGBA{24, 26, 33, 255})
	update := "a goroutine of the game"
	if mainthread.On() {
		update = "the main thread"
	}
	ebitenutil.DebugPrintAt(screen, fmt.Sprintf("mode %s: Update and Draw run on %s, %.0f frames/s\n%s",
		g.mode, update, ebiten.ActualFPS(), strings.ReplaceAll(g.meter.String(), ", ", "\n")), 10, 8)
	g.bars(screen)
	g.drawn = true
}

// bars draws the last calls, a bar each. Every line is ten times the one below it.
func (g *game) bars(screen *ebiten.Image) {
	const left, base, decade, bar = 60, height - 14, 40, 3
	for i, label := range []string{"1µs", "10µs", "100µs", "1ms", "10ms", "100ms"} {
		y := float32(base - i*decade)
		vector.StrokeLine(screen, left, y, width-10, y, 1, color.RGBA{70, 74, 90, 255}, false)
		ebitenutil.DebugPrintAt(screen, fmt.Sprintf("%7s", label), 4, int(y)-8)
	}
	for i, took := range g.meter.last((width - 10 - left) / bar) {
		decades := math.Log10(float64(took) / float64(time.Microsecond))
		h := float32(decade * min(max(decades, 0), 5))
		vector.FillRect(screen, float32(left+i*bar), base-h, bar-1, h, color.RGBA{86, 180, 233, 255}, false)
	}
}
