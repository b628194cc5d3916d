package main

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/threadcall/threadcall/mainthread"
)

// A window shows what goroutines tell it. Its widgets are touched on the main thread alone.
type window struct {
	window fyne.Window
	time   *widget.Label
	speed  *widget.Slider
	bar    *widget.ProgressBar
	report *widget.Label
}

func newWindow(a fyne.App) *window {
	w := &window{
		window: a.NewWindow("mainthread.Call beside Fyne"),
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
func (w *window) clock(m *meter) bool {
	now := time.Now()
	return m.call(func() { w.time.SetText(now.Format("15:04:05.000")) })
}

// progress reads the slider and moves the bar. It does not wait for the bar.
func (w *window) progress(m *meter) bool {
	speed := mainthread.CallV(func() float64 { return w.speed.Value })
	return mainthread.Go(func() {
		value := w.bar.Value + speed/50
		w.bar.SetValue(value - float64(int(value)))
	})
}

// results shows what came of the calls so far.
func (w *window) results(m *meter) bool {
	time.Sleep(100 * time.Millisecond)
	text := m.String()
	return m.call(func() { w.report.SetText(text) })
}
