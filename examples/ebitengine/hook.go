package main

import (
	"github.com/hajimehoshi/ebiten/v2"

	"github.com/threadcall/threadcall/mainthread"
)

// serve runs what goroutines have queued for the main thread.
func serve() { mainthread.Serve() }

// hookThreads is for Ebitengine's usual mode, in which Update and Draw run on another goroutine and the main thread
// does what they ask of it. RunOnMainThread waits until serve has returned, but a hook must not wait, hence go. Before
// the game runs RunOnMainThread does nothing, so this is to be called by Update, not before RunGame.
func hookThreads() {
	mainthread.OnWake(func() { go ebiten.RunOnMainThread(serve) })
}

// hookOnDemand is for the mode in which all is on the main thread and frames come only when there is a reason for one.
// Update calls serve; without the hook it would do so when the user next moves the mouse. Ebitengine shows its window
// after the first Draw, and what it does for that swallows wake-ups, so this is to be called after it. And each frame
// must have its Update, or one that comes soon after another has none and nobody serves.
func hookOnDemand() {
	ebiten.SetTPS(ebiten.SyncWithFPS)
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum) //lint:ignore SA1019 deprecated, but nothing has taken its place
	mainthread.OnWake(ebiten.ScheduleFrame)          //lint:ignore SA1019 as above
}
