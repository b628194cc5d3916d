package article

// Naive is the design that everyone writes first: an unbuffered channel of closures, and for each call a channel on
// which its end is signalled.
func Naive() Design { return &naive{closures: make(chan func())} }

type naive struct{ closures chan func() }

func (n *naive) Call(f func()) bool {
	done := make(chan error)
	n.closures <- func() { done <- run(f) }
	wait(done)
	return true
}

func (n *naive) Go(f func()) bool {
	n.closures <- f
	return true
}

func (n *naive) Serve(stop <-chan struct{}) {
	for {
		select {
		case f := <-n.closures:
			_ = run(f) // what Call sends has caught its panic by itself
		case <-stop:
			return
		}
	}
}
