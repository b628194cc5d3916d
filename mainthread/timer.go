package mainthread

import (
	"time"

	"github.com/threadcall/threadcall/thread"
)

// After runs f on the main thread once, when d has passed. See [thread.Thread.After].
func After(d time.Duration, f func()) *thread.Timer { return main.After(d, f) }

// Every runs f on the main thread after each d. See [thread.Thread.Every].
func Every(d time.Duration, f func()) *thread.Timer { return main.Every(d, f) }

// Frames runs f on the main thread fps times a second. See [thread.Thread.Frames].
func Frames(fps float64, f func()) *thread.Timer { return main.Frames(fps, f) }
