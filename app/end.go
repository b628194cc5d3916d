package app

import (
	"fmt"
	"os"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// limit is how long the windows may take to end after that function has returned. The process would end without them.
const limit = time.Second

// abandoned does on the main thread what Terminate would have done, when the function given to mainthread.Init has returned
// without it. Calls of the main thread fail from now on.
func abandoned() {
	state.winMu.Lock()
	var open []*Win
	for w := range state.windows {
		open = append(open, w)
	}
	terminating := state.closing
	state.closing = true
	state.winMu.Unlock()
	if len(open) > 0 && !terminating {
		fmt.Fprintf(os.Stderr, "app: the function given to mainthread.Init has returned while %s open; "+
			"it must wait for Run, and call app.Terminate last\n", windows(len(open)))
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, w := range open {
			w.Stop()
		}
		for _, w := range open {
			if w.claim(over) {
				w.end()
			}
			<-w.gone
		}
	}()
	select {
	case <-ended:
	case <-time.After(limit):
		return // a function does not return, and GLFW must not free what it uses
	}
	state.waking.Lock()
	defer state.waking.Unlock()
	state.up.Store(false)
	unwatchX11()
	glfw.Terminate() // destroys the windows
}

func windows(n int) string {
	if n == 1 {
		return "a window was"
	}
	return fmt.Sprintf("%d windows were", n)
}
