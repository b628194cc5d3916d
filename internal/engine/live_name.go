package engine

import "fmt"

// SetName sets the name of the thread or the pool in messages, and lists it among those that States
// returns. If timed is true, its times are measured, whatever MeasureTimes says. It must be called
// once, and after IsMain.
func (x *target) SetName(name string, timed bool) {
	if name != "" {
		x.name.Store(&name)
	} else if x.first().permanent {
		name = "main"
	}
	x.list(name, timed)
}

// IsMain says that the thread is that of package mainthread.
func (e *Engine) IsMain() { e.permanent = true }

// String names the thread in a message.
func (e *Engine) String() string {
	name := e.serves().name.Load()
	named := name != nil
	switch {
	case e.permanent:
		return "the main thread"
	case e.pool != nil:
		if named {
			return fmt.Sprintf("thread %d of the pool %q", e.index, *name)
		}
		return fmt.Sprintf("thread %d of a pool without a name", e.index)
	case named:
		return fmt.Sprintf("thread %q", *name)
	}
	if tid := e.tid.Load(); tid != 0 {
		return fmt.Sprintf("a thread without a name (%d in the operating system)", tid)
	}
	return "a thread without a name"
}
