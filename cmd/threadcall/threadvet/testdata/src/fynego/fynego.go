// Package fynego changes widgets of Fyne from goroutines.
package fynego

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

func use(l *widget.Label, w fyne.Window) { // want use:"needs main for widget.Label.SetText"
	l.SetText("")
	go func() {
		l.SetText("")  // want `^widget.Label.SetText must be called on the main thread; called by a function in use \(fynego.go:\d+\), which runs on a goroutine started at fynego.go:\d+$`
		w.SetTitle("") // want `^fyne.Window.SetTitle must be called on the main thread`
		w.Title()
		widget.NewLabel("")
		fyne.Do(func() { l.SetText("") })
		fyne.DoAndWait(func() { w.SetTitle("") })
	}()
}
