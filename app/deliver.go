package app

// OnEvent sets the function that handles events, one event after the other. It runs on the
// goroutine that called Run or, with [EventsOnDraw], on the window's thread.
//
// If it panics, Run panics with the same value; if it calls [runtime.Goexit], so does Run.
func (w *Win) OnEvent(handle func(Event)) {
	if handle == nil {
		w.onEvent.Store(nil)
	} else {
		w.onEvent.Store(&handle)
	}
}

// deliver hands the oldest event to the function given to OnEvent. It returns false if there is
// none.
func (w *Win) deliver() bool {
	e := w.queue.get()
	if e == nil {
		return false
	}
	if handle := w.onEvent.Load(); handle != nil {
		(*handle)(e)
	}
	if c, ok := e.(*CloseEvent); ok && !c.kept() {
		w.Stop()
	}
	return true
}

// deliverAll delivers the events that have come by now, on the window's thread. It returns whether
// the window goes on.
func (w *Win) deliverAll() bool {
	w.inside = "OnEvent"
	for n := w.queue.len(); n > 0 && !w.stopped.Load() && w.deliver(); n-- {
	}
	return !w.stopped.Load()
}

// deliverNow runs on the window's thread, between frames.
func (w *Win) deliverNow() {
	if w.stopped.Load() || w.life.Load() != running {
		return
	}
	completed := false
	defer w.check(&completed)
	if w.deliverAll() && w.queue.len() > 0 {
		w.eventCame()
	}
	completed = true
}

// slow is the rate, in frames a second, below which events do not wait for a frame.
const slow = 20

// eventCame has events delivered with EventsOnDraw, unless the next frame will do it: drawPosted
// clears pending before drawFrame looks into the queue, and when frames no longer follow each
// other, the last one looks again.
func (w *Win) eventCame() {
	next := w.pending.Load() || w.continuous()
	if rate := w.rate(); w.life.Load() == running && (!next || rate > 0 && rate < slow) {
		w.postDelivery()
	}
}

// receive delivers events until the window is stopped, in Run.
func (w *Win) receive() {
	for !w.stopped.Load() {
		if w.opts.eventsOnDraw || !w.deliver() {
			<-w.queue.notified
		}
	}
}
