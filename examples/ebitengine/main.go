// A game that keeps its loop, and goroutines that run functions on the main thread.
//
//	go -C examples/ebitengine run . -mode single
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"sync/atomic"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	mode := flag.String("mode", "threads", "`mode` of Ebitengine: threads, its usual one; "+
		"single, all on the main thread; or on-demand, which is single with frames only when "+
		"ScheduleFrame asks for one")
	stay := check.Window()
	hook := map[string]func(){"threads": hookThreads, "single": func() {},
		"on-demand": hookOnDemand}[*mode]
	if hook == nil {
		log.Fatalf("-mode %s: it is threads, single or on-demand", *mode)
	}

	var workers sync.WaitGroup
	var ok bool
	g := &game{mode: *mode}
	g.started = func() {
		hook()
		workers.Go(func() {
			ok = calls(*mode)
			stay()
			mainthread.Call(func() { g.over.Store(true) })
		})
	}
	ebiten.SetWindowTitle("mainthread.Call next to Ebitengine")
	ebiten.SetWindowSize(width, height)
	err := ebiten.RunGameWithOptions(g, &ebiten.RunGameOptions{SingleThread: *mode != "threads"})
	// the game's loop has ended; this serves the goroutines that still call
	mainthread.Init(workers.Wait)
	if err != nil {
		log.Fatal(err)
	}
	if !ok {
		os.Exit(1)
	}
}

// calls calls as a file dialog, a menu or the clipboard would.
func calls(mode string) bool {
	return check.Calls("ebitengine, "+mode, func() (on bool) {
		mainthread.Call(func() { on = mainthread.On() })
		return on
	})
}

// hookThreads is for Ebitengine's usual mode, in which Update and Draw run on another goroutine,
// and the main thread runs what they ask for. RunOnMainThread waits until serve has returned, but a
// hook must not wait, hence go. Before the game runs, RunOnMainThread does nothing, so Update calls
// hookThreads.
func hookThreads() {
	ebiten.RunOnMainThread(func() {
		mainthread.Loop().OnWake(func() { go ebiten.RunOnMainThread(serve) })
	})
}

// hookOnDemand is for the mode in which all runs on the main thread and frames come on demand.
// Update calls serve; without the hook it would only when the user next moves the mouse. Ebitengine
// shows its window after the first Draw, and loses frames that are asked for meanwhile, so Update
// calls hookOnDemand after that. And each frame must have its Update; otherwise one that comes soon
// after another has none, and the calls wait.
func hookOnDemand() {
	ebiten.SetTPS(ebiten.SyncWithFPS)
	//lint:ignore SA1019 deprecated, but nothing has taken its place
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum)
	mainthread.Loop().OnWake(ebiten.ScheduleFrame) //lint:ignore SA1019 as above
}

// serve runs the queued functions.
func serve() { mainthread.Loop().Serve(0) }

const width, height = 480, 100

// A game shows its frame rate, and serves where it runs on the main thread.
type game struct {
	mode    string
	started func() // called once, by the first Update after the first Draw
	drawn   bool
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
	ebitenutil.DebugPrint(screen, fmt.Sprintf("mode %s, %.0f frames/s", g.mode, ebiten.ActualFPS()))
}
