// Package cocoa uses AppKit.
package cocoa

import (
	"github.com/progrium/darwinkit/dispatch"
	"github.com/progrium/darwinkit/macos/appkit"
)

func use(w appkit.Window, i appkit.Image, d *appkit.ApplicationDelegate) {
	go func() {
		w.SetTitle("") // want `^appkit.Window.SetTitle must be called on the main thread`
		i.SetName("")
		appkit.NewWindow() // want `appkit.NewWindow`
		dispatch.MainQueue().DispatchAsync(func() { w.SetTitle("") })
		d.SetApplicationDidFinishLaunching(func() { w.SetTitle("") })
	}()
}
