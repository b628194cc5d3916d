package engine

import (
	"context"
	"runtime/trace"

	"github.com/threadcall/threadcall/internal/freelist"
)

// While the program records an execution trace, each call is a task in it:
//
//	task   taskCall  from before the call is queued until it has returned, on the goroutine that calls. The stack of
//	                 its begin is the place that calls
//	task   taskGo    from before the function is queued until it has run, or Go has refused it
//	region region    on the thread, while the function runs: of that task. A call that is made on the thread and so
//	                 runs in place is a region without a task
//
// So from the task's begin to the region's is what the call waited for the thread, and from the region's end to the
// task's what the return took. A task without a region is of a call whose function did not run. If the recording
// begins or ends in between, some of the four ends are missing; the call does not notice.
//
// As with a watch, a caller queues a mark, which runs the function, while a trace is recorded.
// The thread need not know, and a caller asks whether a trace is recorded, which is one load.
const (
	taskCall = "threadcall.Call"
	taskGo   = "threadcall.Go"
	region   = "threadcall"
)

// A mark is a function on its way to a thread while a trace is recorded.
type mark struct {
	fn   func()
	run  func()          // m.call, made once
	ctx  context.Context // of the task
	task *trace.Task     // to be ended after fn, nil if the caller does
}

var marks freelist.List[mark]

// marked has an awaited call made by call, in a task, with run in place of fn. In Call itself, a deferred call, or one
// function more to pass, costs those who record nothing a tenth of their time.
func marked[T any](ctx context.Context, fn func(), call func(run func()) T) T {
	task, m := newMark(ctx, taskCall, fn)
	defer task.End() // also if fn panics or calls Goexit
	return call(m.run)
}

// markGo begins the task of a posted function. The caller queues run in its place, and ends the task if it can not.
func markGo(fn func()) (task *trace.Task, run func()) {
	task, m := newMark(context.Background(), taskGo, fn)
	m.task = task
	return task, m.run
}

func newMark(ctx context.Context, taskType string, fn func()) (*trace.Task, *mark) {
	m := marks.Get()
	if m == nil {
		m = new(mark)  //threadcall:alloc when more marked calls are under way than ever
		m.run = m.call //threadcall:alloc and with it
	}
	m.fn = fn
	var task *trace.Task
	m.ctx, task = trace.NewTask(ctx, taskType)
	return task, m
}

func (m *mark) call() {
	defer m.end() // also if fn panics or calls Goexit
	trace.WithRegion(m.ctx, region, m.fn)
}

func (m *mark) end() {
	if m.task != nil {
		m.task.End()
	}
	m.fn, m.ctx, m.task = nil, nil, nil
	marks.Put(m)
}

// markInPlace runs the function of a call that is made on the thread.
func markInPlace(fn func()) { trace.WithRegion(context.Background(), region, fn) }
