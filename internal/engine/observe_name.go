package engine

import (
	"context"
	"runtime/pprof"
)

// maxNamed is for how many labels of callers a thread keeps what they become with its name.
const maxNamed = 64

// A nameLabel is the profiler label with the name of a thread. Labels of a goroutine are one value,
// so the label has to be added to those of each caller, which allocates. The thread keeps what came
// out, by the labels of the caller, and not by its context, of which there may be a new one for
// each call.
type nameLabel struct {
	set   pprof.LabelSet
	alone context.Context         // has no other label
	with  map[any]context.Context // has those of callers, too
}

// LabelThread has functions on the thread that the caller is on run under the label thread=name.
func LabelThread(name string) {
	if e := threads.current(); e != nil {
		set := pprof.Labels("thread", name)
		e.named = &nameLabel{set, pprof.WithLabels(never, set), map[any]context.Context{}}
		e.applyLabels(e.labelsNow())
	}
}

// add returns a context with the labels of ctx, which may be nil, and the thread's.
//
//threadcall:noalloc
func (l *nameLabel) add(ctx context.Context) context.Context {
	if l == nil || ctx == nil {
		if l != nil {
			return l.alone
		}
		return ctx
	}
	labels := ctx.Value(labelsKey)
	named := l.with[labels]
	if named == nil {
		if len(l.with) == maxNamed {
			clear(l.with)
		}
		named = l.both(ctx)    //threadcall:alloc once for each labels
		l.with[labels] = named //threadcall:alloc likewise
	}
	return named
}

func (l *nameLabel) both(ctx context.Context) context.Context {
	return labelContext{never, pprof.WithLabels(ctx, l.set).Value(labelsKey)}
}

// A labelContext has labels and nothing else of the context that they come from.
type labelContext struct {
	context.Context
	labels any
}

func (c labelContext) Value(key any) any {
	if key == labelsKey {
		return c.labels
	}
	return nil
}

// labelsKey is what package pprof asks a context for.
var labelsKey = func() any {
	var key keyContext
	pprof.ForLabels(&key, nil)
	return key.asked
}()

// A keyContext remembers what it was last asked for.
type keyContext struct {
	context.Context
	asked any
}

func (c *keyContext) Value(key any) any {
	c.asked = key
	return nil
}
