// A game that keeps its loop, and goroutines that run functions on the main thread.
//
//	go -C examples run ./ebitengine -mode single -run-for 5s
package main

import (
	"flag"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	mode := flag.String("mode", "threads", "`mode` of Ebitengine: threads, its usual one; "+
		"single, all on the main thread; or on-demand, which is single with frames only when ScheduleFrame asks for one")
	runFor := flag.Duration("run-for", 0, "end this long after the first frame")
	flag.Parse()

	setHook := map[string]func(){"threads": hookThreads, "single": func() {}, "on-demand": hookOnDemand}[*mode]
	if setHook == nil {
		log.Fatalf("-mode %s: it is threads, single or on-demand", *mode)
	}
	g := &game{mode: *mode}
	g.started = func() {
		setHook()
		if *runFor > 0 {
			time.AfterFunc(*runFor, func() { mainthread.Go(func() { g.over.Store(true) }) })
		}
	}

	var workers sync.WaitGroup
	var over atomic.Bool
	for range 3 {
		workers.Go(func() {
			for !over.Load() && g.meter.Call(func() {}) { // a file dialog, a menu, a clipboard
				time.Sleep(5 * time.Millisecond)
			}
		})
	}

	ebiten.SetWindowTitle("mainthread.Call next to Ebitengine")
	ebiten.SetWindowSize(width, height)
	err := ebiten.RunGameWithOptions(g, &ebiten.RunGameOptions{SingleThread: *mode != "threads"})
	mainthread.Init(func() { // the game's loop has ended; this serves the goroutines that still call
		over.Store(true)
		workers.Wait()
	})
	fmt.Printf("ebitengine, %s: %s\n", *mode, g.meter.String())
	if err != nil {
		log.Fatal(err)
	}
}

// serve runs the queued functions.
func serve() { mainthread.Serve() }

// hookThreads is for Ebitengine's usual mode, in which Update and Draw run on another goroutine, and the main thread runs
// what they ask for. RunOnMainThread waits until serve has returned, but a hook must not wait, hence go. Before
// the game runs, RunOnMainThread does nothing, so Update calls hookThreads.
func hookThreads() {
	mainthread.OnWake(func() { go ebiten.RunOnMainThread(serve) })
}

// hookOnDemand is for the mode in which all runs on the main thread and frames come on demand. Update calls serve;
// without the hook it would only when the user next moves the mouse. Ebitengine shows its window after the
// first Draw, and loses frames that are asked for meanwhile, so Update calls hookOnDemand after that. And each frame
// must have its Update; otherwise one that comes soon after another has none, and the calls wait.
func hookOnDemand() {
	ebiten.SetTPS(ebiten.SyncWithFPS)
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum) //lint:ignore SA1019 deprecated, but nothing has taken its place
	mainthread.OnWake(ebiten.ScheduleFrame)          //lint:ignore SA1019 as above
}
