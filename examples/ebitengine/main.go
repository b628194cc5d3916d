// A game that keeps its loop, and goroutines that have functions run on the main thread beside it.
//
//	go -C examples/ebitengine run . -mode single -run-for 5s
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
	mode := flag.String("mode", "threads", "threads: Ebitengine's usual mode; "+
		"single: all on the main thread; on-demand: the same, with frames only when somebody wants one")
	runFor := flag.Duration("run-for", 0, "end so long after the first frame")
	flag.Parse()

	hook := func() {}
	switch *mode {
	case "threads":
		hook = hookThreads
	case "single": // needs none: Update comes 60 times a second
	case "on-demand":
		hook = hookOnDemand
	default:
		log.Fatalf("-mode %s: it is threads, single or on-demand", *mode)
	}
	g := &game{mode: *mode}
	g.started = func() {
		hook()
		if *runFor > 0 {
			time.AfterFunc(*runFor, func() { mainthread.Go(func() { g.over.Store(true) }) })
		}
	}

	var workers sync.WaitGroup
	var over atomic.Bool
	for range 3 {
		workers.Go(func() {
			for !over.Load() && g.meter.call() {
				time.Sleep(5 * time.Millisecond)
			}
		})
	}

	ebiten.SetWindowTitle("mainthread.Call beside Ebitengine")
	ebiten.SetWindowSize(width, height)
	err := ebiten.RunGameWithOptions(g, &ebiten.RunGameOptions{SingleThread: *mode != "threads"})
	mainthread.Init(func() { // now that the game's loop has ended, it serves those that still call
		over.Store(true)
		workers.Wait()
	})
	fmt.Printf("ebitengine, %s: %s\n", *mode, g.meter.String())
	if err != nil {
		log.Fatal(err)
	}
}
