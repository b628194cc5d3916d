// A Fyne program that keeps its loop, and goroutines that have functions run on the main thread beside it.
//
//	go -C examples/fyne run . -run-for 5s
package main

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2/app"

	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	runFor := flag.Duration("run-for", 0, "end so long after the start of Fyne's loop")
	flag.Parse()

	a := app.New()
	w := newWindow(a)
	hook()

	var m meter
	var workers sync.WaitGroup
	var over atomic.Bool
	for _, work := range []func(*meter) bool{w.clock, w.progress, w.results} {
		workers.Go(func() {
			for !over.Load() && work(&m) {
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	if *runFor > 0 {
		a.Lifecycle().SetOnStarted(func() {
			time.AfterFunc(*runFor, func() { mainthread.Call(a.Quit) })
		})
	}

	w.window.Show()
	a.Run()
	mainthread.Init(func() { // now that Fyne's loop has ended, it serves those that still call
		over.Store(true)
		workers.Wait()
	})
	fmt.Println("fyne:", m.String())
}
