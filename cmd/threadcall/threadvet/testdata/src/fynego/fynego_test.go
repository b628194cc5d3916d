package fynego

import (
	"testing"

	"fyne.io/fyne/v2/widget"
)

func TestLabel(t *testing.T) { // want TestLabel:"needs main for widget.Label.SetText"
	widget.NewLabel("").SetText("with the driver for tests")
}

func TestGo(t *testing.T) { // want TestGo:"needs main for widget.Label.SetText"
	l := widget.NewLabel("")
	go l.SetText("") // want `widget.Label.SetText must be called on the main thread`
	t.Run("sub", func(t *testing.T) { l.SetText("") })
	l.SetText("")
}
