package thread

import (
	"fmt"
	"slices"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/internal/fault"
)

// WithStart runs f on the new thread before anything else: to enter a network namespace, to
// initialise COM, to make an OpenGL or CUDA context current. If f fails, the thread ends, after the
// functions of [WithStop] of earlier functions of WithStart. So f need undo only its own.
//
// [Start] and [StartPool] wait for f and return its error; the error of StartPool names the thread.
// [New] and [NewPool] do not wait: an error ends the thread or pool, and is reported as if f had
// panicked with it, see [WithPanicHandler]. [runtime.Goexit] in f ends them without a report.
//
// If the option is given more than once, the functions run in that order, until one fails. Calls
// that f makes to its own thread run in place. In a Pool, f runs on each of the threads, at the
// same time; package keyed tells f which it is on. The thread refers to f until it has run.
func WithStart(f func() error) Option {
	return func(c *config) {
		if f != nil {
			c.hooks = append(c.hooks, engine.Hook{Start: f})
		}
	}
}

// WithStop runs f on the thread after everything else, when the thread is terminated, closed or
// reclaimed, and before Done is closed. It does not run when the process ends.
//
// WithStart and WithStop are pairs: f belongs to the functions of [WithStart] before it among the
// options, or if there is none to all, and runs if and only if these have succeeded.
//
// Calls that f makes to its own thread run in place, although the thread is terminated; Go refuses
// its functions. A panic in f is reported: see [WithPanicHandler]. If the option is given more than
// once, the functions run in reverse order, each even if the one before has panicked or called
// Goexit. The thread refers to f until it ends: a Thread to which f refers is not reclaimed.
func WithStop(f func()) Option {
	return func(c *config) {
		if f != nil {
			c.hooks = append(c.hooks, engine.Hook{Stop: f})
		}
	}
}

// hooks are the functions of WithStart and WithStop, apart from options that refer to the Thread.
type hooks []engine.Hook

func (h hooks) starts() bool {
	return slices.ContainsFunc(h, func(h engine.Hook) bool { return h.Start != nil })
}

// begin has an engine run the functions of WithStart first. A failure terminates what fails.
func (h hooks) begin(e *engine.Engine, fails interface{ Terminate() }) {
	if !h.starts() {
		_ = e.Prepare(h)
		return
	}
	e.First(func() {
		if err := whole(func() error { return e.Prepare(h) }, fails.Terminate); err != nil {
			panic(err)
		}
	})
}

// whole returns what start does, and calls end before if start fails, panics or calls Goexit.
func whole(start func() error, end func()) (err error) {
	started := false
	defer func() {
		if !started {
			end()
		}
	}()
	err = start()
	started = err == nil
	return err
}

func init() {
	access.New = func(opts, user any, onEnd func()) (any, *engine.Engine, func() error) {
		o := options(opts.([]Option))
		o.User, o.OnEnd = user, onEnd
		h, t := o.hooks, wrap(o)
		e := t.e
		return t, e, func() (err error) {
			defer func() {
				if v := recover(); v != nil {
					err = panicError(fault.Caught(v))
				}
			}()
			return e.Prepare(h)
		}
	}
}

// Start is [New], but waits until the functions of [WithStart] have run. If one returns an error,
// panics or calls [runtime.Goexit], so does Start when the thread has ended.
//
//	t, err := thread.Start(
//		thread.WithStart(func() error { return ole.CoInitializeEx(0, ole.COINIT_MULTITHREADED) }),
//		thread.WithStop(ole.CoUninitialize),
//	)
func Start(opts ...Option) (*Thread, error) {
	o := options(opts)
	if !o.hooks.starts() {
		return New(opts...), nil
	}
	h, t := o.hooks, wrap(o)
	t.e.Start()
	start := func() (err error) {
		err = ErrTerminated
		t.e.Call(func() { err = t.e.Prepare(h) })
		return err
	}
	if err := whole(start, t.Close); err != nil {
		return nil, err
	}
	return t, nil
}

// StartPool is [NewPool], but waits until the functions of [WithStart] have run on all threads. If
// one fails, StartPool ends all threads, those that have started with their functions of
// [WithStop], and returns the error. Panics and Goexit are as in [Start].
func StartPool(n int, opts ...Option) (*Pool, error) {
	o := options(opts)
	if !o.hooks.starts() {
		return NewPool(n, opts...), nil
	}
	h, p := o.hooks, newPool(n, o)
	p.p.Start()
	start := func() error {
		errs, workers := make([]error, n), p.p.Workers()
		p.p.CallEach(func(i int) { errs[i] = workers[i].Prepare(h) })
		for i, err := range errs {
			if err != nil {
				return fmt.Errorf("thread: the start of thread %d: %w", i, err)
			}
		}
		return nil
	}
	if err := whole(start, p.Close); err != nil {
		return nil, err
	}
	return p, nil
}
