package thread

// AdoptLater is [Adopt] for a thread that exists later than its handle: a framework makes the
// handle, and the goroutine on which its loop runs afterwards calls adopt. Until it has done so and
// serves, calls and functions given to Go wait, as does Close, and On is false; Terminate refuses
// them all.
//
//	t, adopt := thread.AdoptLater(thread.WithName("loop"))
//	go func() {
//		if err := adopt(); err == nil {
//			t.OnWake(loop.Wake) // or before
//			for t.Wait(loop.WaitEvents) {
//			}
//		}
//	}()
//
// adopt returns nil once. If it has been called before, by whichever goroutine, or the thread has
// been terminated or reclaimed ([ErrTerminated]), or the caller is on a thread that is a Thread
// already, or only one of AdoptLater and adopt is called in a bubble of testing/synctest, adopt
// returns an error and changes nothing.
//
// The goroutine that is to call adopt must not wait for the thread before: for its own call, or in
// Go with [WithQueueLimit]. adopt does not keep the Thread from being reclaimed; functions that
// wait for it and refer to the Thread do.
//
// AdoptLater panics for WithStart and WithStop, as Adopt does.
func AdoptLater(opts ...Option) (t *Thread, adopt func() error) {
	o := adoptable("AdoptLater", opts)
	t = wrap(o)
	e, setup := t.e, o.setup()
	return t, func() error {
		err := e.AdoptLater()
		if err == nil && setup != nil {
			setup()
		}
		return err
	}
}
