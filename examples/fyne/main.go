// A Fyne program that keeps its event loop, and goroutines that run functions on the main thread.
//
//	go -C examples run ./fyne -run-for 5s
package main

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/threadcall/threadcall/examples/internal/meter"
	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	runFor := flag.Duration("run-for", 0, "end this long after Fyne's loop has started")
	flag.Parse()

	a := app.New()
	mainthread.OnWake(func() { fyne.Do(serve) }) // there must be an app
	w := newWindow(a)

	var workers sync.WaitGroup
	var over atomic.Bool
	for _, work := range []func() bool{w.clock, w.progress, w.results} {
		workers.Go(func() {
			for !over.Load() && work() {
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
	mainthread.Init(func() { // Fyne's loop has ended; this serves the goroutines that still call
		over.Store(true)
		workers.Wait()
	})
	fmt.Println("fyne:", w.meter.String())
}

// serve runs the queued functions. Once Fyne's loop has ended, fyne.Do runs serve in place, on any goroutine; then Init
// serves.
func serve() {
	if mainthread.On() {
		mainthread.Serve()
	}
}

// A window shows what goroutines write to it. Only the main thread touches its widgets.
type window struct {
	window fyne.Window
	time   *widget.Label
	speed  *widget.Slider
	bar    *widget.ProgressBar
	report *widget.Label
	meter  meter.Meter
}

func newWindow(a fyne.App) *window {
	w := &window{
		window: a.NewWindow("mainthread.Call next to Fyne"),
		time:   widget.NewLabel(""),
		speed:  widget.NewSlider(0, 1),
		bar:    widget.NewProgressBar(),
		report: widget.NewLabel(""),
	}
	w.speed.Step = 0.01
	w.speed.SetValue(0.3)
	w.window.SetContent(container.NewVBox(
		widget.NewForm(
			widget.NewFormItem("Call", w.time),
			widget.NewFormItem("CallV", w.speed),
			widget.NewFormItem("Go", w.bar),
		),
		w.report,
	))
	w.window.Resize(fyne.NewSize(420, 260))
	return w
}

// clock waits until the time is shown.
func (w *window) clock() bool {
	now := time.Now()
	return w.meter.Call(func() { w.time.SetText(now.Format("15:04:05.000")) })
}

// progress reads the slider and moves the bar. It does not wait for the bar.
func (w *window) progress() bool {
	speed := mainthread.CallV(func() float64 { return w.speed.Value })
	return mainthread.Go(func() {
		value := w.bar.Value + speed/50
		w.bar.SetValue(value - float64(int(value)))
	})
}

// results shows the calls so far.
func (w *window) results() bool {
	time.Sleep(100 * time.Millisecond)
	text := w.meter.String()
	return w.meter.Call(func() { w.report.SetText(text) })
}
