package observe

import (
	"context"
	"runtime"
	"runtime/trace"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/list"
)

// A Call is a function on its way to a thread, with what is to be known or done about it:
// it reports to an observer, is part of an execution trace, runs under the profiler labels of its
// caller, or does not run when its context has ended.
//
// A goroutine queues a Call in place of such a function. So the thread need not know, and
// what is not observed costs nothing: a call looks for an observer and whether a trace is recorded,
// which is one load each.
//
// While the program records an execution trace, each Call is a task in it:
//
//	task   taskCall  from before the call is queued until it has returned, on the goroutine that
//	                 calls. The stack of its start is the place that calls
//	task   taskGo    from before the function is queued until it has run, its turn has come after
//	                 the end of its context, or Go has refused it
//	region region    on the thread, while the function runs: of that task. A call that is made on the
//	                 thread and so runs in place is a region without a task
//	log    slowLog   when a watch reports the function: of that task, on another goroutine
//
// So from the task's begin to the region's is what the call waited for the thread, and from the
// region's end to the task's what the return took. A task without a region is of a call whose
// function did not run. If the recording begins or ends in between, some of the four ends are
// missing; the call does not notice.
//
// The record of a call belongs to its caller, which gives it back when the call is over. The thread
// uses it while the function runs, and not longer than the record in the queue. The record of a
// posted function belongs to the thread. The labels around a call may outlive it in a coroutine,
// and are copied. So nothing refers to a record that is used again.
type Call struct {
	fn       func()
	run      func() // v.call, made once
	observer *Observer
	what     uint32          // is reported to it: bits of Observer.what
	on       *Thread         // that it runs on, once it does
	ctx      context.Context // of the task, and with the labels
	task     *trace.Task
	queued   time.Duration // when, if anything is reported
	since    time.Duration // when it began to run
	posted   bool
	begun    bool
	labelled bool            // it runs under the labels of ctx
	around   context.Context // with the labels before
	outer    *Call           // Thread.innermost before it began

	until context.Context // a posted function does not begin after its end; or nil

	notify *func(Slow)      // see watch; guarded by observer.mu, as the following
	asked  bool             // whether it is a native loop, see Runner.AsksHost
	node   list.Node[*Call] // in watch.waiting, then in observer.running
	depth  int              // of from
	from   [32]uintptr
}

const (
	taskCall = "threadcall.Call"
	taskGo   = "threadcall.Go"
	Region   = "threadcall"
	slowLog  = "threadcall.slow"
)

var unusedCalls sync.Pool // of *Call

// Wrap returns what is to be queued in place of fn, and its Call; or fn and nil, if that needs
// none. until may be nil.
//
//threadcall:noalloc
func (o *Observer) Wrap(ctx, until context.Context, fn func(), posted bool) (run func(), v *Call) {
	what, labelled, traced := o.what.Load(), HasLabels(ctx), trace.IsEnabled()
	if what == 0 && !labelled && !traced && until == nil {
		return fn, nil
	}
	var task *trace.Task
	if traced {
		kind := taskCall
		if posted {
			kind = taskGo
		}
		ctx, task = trace.NewTask(ctx, kind) //threadcall:alloc while a trace is recorded
	}
	v, _ = unusedCalls.Get().(*Call)
	if v == nil {
		v = new(Call)  //threadcall:alloc when more functions are on their way than before
		v.run = v.call //threadcall:alloc and with it
		v.node.Value = v
	}
	v.fn, v.ctx, v.task, v.posted, v.labelled, v.until = fn, ctx, task, posted, labelled, until
	v.observer, v.what = o, what
	if what != 0 {
		v.queued = clock.Now()
	}
	if what&watches != 0 {
		v.depth = runtime.Callers(3, v.from[:]) // without Callers, Wrap and the engine's function
		o.watch(v)
	}
	return v.run, v
}

// call runs the function, on the thread.
func (v *Call) call() {
	if v.on == nil {
		v.on = v.observer.first.runner.Here()
	}
	if v.until != nil && v.ended() {
		return
	}
	defer v.end() // also if fn, or a context of another package, panics or calls Goexit
	v.begin()
	if v.task != nil {
		trace.WithRegion(v.ctx, Region, v.fn)
	} else {
		v.fn()
	}
}

// ended reports whether the context of a posted function is done, and releases v then, or if the
// context panics. The thread reports that panic as one of the function.
//
//threadcall:noalloc
func (v *Call) ended() (yes bool) {
	yes = true
	defer func() {
		if yes {
			v.on.Withdrawn = true
			v.observer.Withdrew()
			v.Release()
		}
	}()
	return callq.Done(v.until)
}

// begin is called on the thread before the function runs.
//
//threadcall:noalloc
func (v *Call) begin() {
	v.begun = true
	if v.what != 0 {
		v.observer.begin(v)
	}
	if v.labelled {
		v.around = v.on.Labels.Now // first, as a context of another package may panic
		v.on.Labels.Under(v.ctx)
	}
}

// end is called on the thread after the function has run.
//
//threadcall:noalloc
func (v *Call) end() {
	if v.what != 0 {
		v.observer.end(v)
	}
	if v.labelled {
		v.on.Labels.Set(v.around)
	}
	if v.posted {
		v.Release()
	}
}

// IsOf makes the function, which nothing has queued, one of t, which may be known no more when it
// begins.
func (v *Call) IsOf(t *Thread) { v.on, v.depth = t, 0 }

// Release is called when the call is over, or will never begin.
//
//threadcall:noalloc
func (v *Call) Release() {
	if v.task != nil {
		v.task.End()
	}
	if !v.begun && v.what != 0 {
		v.observer.drop(v)
	}
	v.fn, v.observer, v.on, v.ctx, v.until, v.task, v.notify = nil, nil, nil, nil, nil, nil, nil
	v.begun, v.asked, v.labelled, v.depth = false, false, false, 0
	unusedCalls.Put(v)
}
