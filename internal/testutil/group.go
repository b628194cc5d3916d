package testutil

import "sync"

// A Group is a sync.WaitGroup with the method Go.
type Group struct{ sync.WaitGroup }

// Go calls f in a new goroutine, for whose end Wait waits.
func (g *Group) Go(f func()) {
	g.Add(1)
	go func() {
		defer g.Done()
		f()
	}()
}
