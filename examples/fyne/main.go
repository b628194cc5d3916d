// A Fyne program that keeps its event loop, and goroutines that run functions on the main thread.
//
//	go -C examples/fyne run .
package main

import (
	"os"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	stay := check.Window()
	a := app.New()
	mainthread.Loop().OnWake(func() { fyne.Do(serve) }) // there must be an app

	clock, speed, bar := widget.NewLabel(""), widget.NewSlider(0, 1), widget.NewProgressBar()
	speed.Step = 0.01
	speed.SetValue(0.3)
	w := a.NewWindow("mainthread.Call next to Fyne")
	w.SetContent(container.NewVBox(widget.NewForm(
		widget.NewFormItem("Call", clock),
		widget.NewFormItem("MustEval", speed),
		widget.NewFormItem("Go", bar),
	)))
	w.Resize(fyne.NewSize(420, 180))

	// show runs on the main thread.
	show := func(now time.Time) bool {
		clock.SetText(now.Format("15:04:05.000"))
		return mainthread.On()
	}
	// move runs on any goroutine.
	move := func() {
		by := mainthread.MustEval(func() float64 { return speed.Value }) / 50
		mainthread.Go(func() {
			value := bar.Value + by
			bar.SetValue(value - float64(int(value)))
		})
	}

	var workers sync.WaitGroup
	var ok bool
	a.Lifecycle().SetOnStarted(func() {
		workers.Go(func() {
			for range 50 {
				move()
				time.Sleep(10 * time.Millisecond)
			}
			ok = check.Calls("fyne", func() (on bool) {
				now := time.Now()
				mainthread.Call(func() { on = show(now) })
				return on
			})
			stay()
			mainthread.Call(w.Close) // the last window: Fyne's loop ends at its next turn
		})
	})
	w.Show()
	a.Run()
	// Fyne's loop has ended; this serves the goroutines that still call
	mainthread.Init(workers.Wait)
	if !ok {
		os.Exit(1)
	}
}

// serve runs the queued functions. Once Fyne's loop has ended, fyne.Do runs serve in place, on any
// goroutine; then Init serves.
func serve() {
	if mainthread.On() {
		mainthread.Loop().Serve(0)
	}
}
