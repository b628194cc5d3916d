package oracle

import (
	"iter"
	"runtime"

	"github.com/threadcall/threadcall/internal/ident"
)

// A puller is a coroutine of iter.Pull. Each operation in its body lets it wait, and so does
// suspend in a function that is called from it and runs in place, even within a Serve.
type puller struct {
	next   func() (bool, bool)
	stop   func()
	yield  func(bool) bool
	worker *worker // nil off all threads
	over   bool    // it was stopped: what is left of its body is left out
}

// pull makes a coroutine, and resumes it until it ends, or if it is a generator leaves it to
// resume.
func (a *activation) pull(o *op, s spot) {
	c := &puller{worker: a.worker}
	if c.worker != nil {
		c.worker.coroutines++
	}
	c.next, c.stop = iter.Pull(func(yield func(bool) bool) {
		g := ident.G()
		c.yield = yield
		a.run.pulled.Store(g, c)
		defer a.run.pulled.Delete(g)
		a.run.act(o, s, c.worker)
	})
	if o.verb == generator {
		a.pulled = append(a.pulled, c)
		return
	}
	defer a.end(c)
	for a.step(c) {
	}
}

// end ends a coroutine.
func (a *activation) end(c *puller) {
	if c.worker != nil {
		defer func() { c.worker.coroutines-- }()
	}
	c.stop()
}

// step resumes a coroutine, and reports whether it has not ended. A Goexit in it ends the caller,
// too.
func (a *activation) step(c *puller) (more bool) {
	returned := false
	defer func() {
		switch v := recover(); {
		case v != nil:
			panic(v)
		case !returned && a.worker != nil:
			a.worker.exit(a.g)
		}
	}()
	_, more = c.next()
	returned = true
	return more
}

// resume resumes the generators of a once.
func (a *activation) resume() {
	for i := 0; i < len(a.pulled); {
		if a.stepGenerator(a.pulled[i]) {
			i++
			continue
		}
		a.end(a.pulled[i])
		a.pulled = append(a.pulled[:i], a.pulled[i+1:]...)
	}
}

// stepGenerator is step, for a coroutine whose panics are not the caller's.
func (a *activation) stepGenerator(c *puller) (more bool) {
	defer func() { _ = recover() }()
	return a.step(c)
}

// finish resumes the generators of a until they have ended.
func (a *activation) finish() {
	for len(a.pulled) > 0 {
		a.resume()
	}
}

// stop stops those that are left when a ends early. A Goexit in one of them takes the place of a
// panic in a.
func (a *activation) stop() {
	if len(a.pulled) == 0 {
		return
	}
	c := a.pulled[0]
	a.pulled = a.pulled[1:]
	defer a.stop()
	returned := false
	defer func() {
		if recover() == nil && !returned {
			a.thrown = nil
		}
	}()
	c.over = true
	a.end(c)
	returned = true
}

// suspend lets the coroutine that runs on g wait, if there is one.
func (r *run) suspend(g uintptr) {
	if c, ok := r.pulled.Load(g); ok {
		c.(*puller).yield(true)
	} else {
		runtime.Gosched()
	}
}

// stopped reports whether g is a coroutine that was stopped.
func (r *run) stopped(g uintptr) bool {
	c, ok := r.pulled.Load(g)
	return ok && c.(*puller).over
}
