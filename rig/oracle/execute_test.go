package oracle

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/thread"
)

// A run is one run of a program.
type run struct {
	p       *program
	model   *model
	places  []*place
	keyed   *keyed.Threads[int]
	records []record // by number of operation
	pulled  sync.Map // the coroutines that live, by goroutine

	mu       sync.Mutex
	failures []string
	contexts []func() // ends those of functions that were posted
}

// A record is what was seen of one operation. Who makes it writes the first part, its function the
// second, on another thread as a rule, and each reads what the other wrote, with nothing but the
// call between them.
type record struct {
	made    bool
	by      *activation
	route   route
	nth     int // of what its issuer has made
	given   int // the function must see it
	answer  answers
	left    bool           // by Goexit, before its function had begun
	late    bool           // it was made after the place had been terminated
	labels  unsafe.Pointer // of the context, or nil
	read    any            // the value of the panic that Error returned
	runs    int64          // of the coalesced function, before it was posted
	before  int            // how many functions had begun on the thread that it was made on
	taken   int            // how many functions of a flood were taken on
	drained atomic.Int64   // how many of them ran

	begun  int     // how often the function began
	where  *worker // on which thread
	g      uintptr // and goroutine
	at     int     // its place in worker.began
	ended  answers // how it ended, if it has
	exits  bool    // it called Goexit, even if it ended by a panic
	thrown any     // what it panicked with
	result int     // its caller must see it

	progress [2]stage // of the operation and of its function
}

// A stage tells a watchdog how far something has come, and nothing else: what reads it is ordered
// behind what wrote it.
type stage struct{ atomic.Uint32 }

func (s *stage) String() string { return []string{"not begun", "under way", "ended"}[s.Load()] }

// A mistake is a panic value that is an error.
type mistake struct{ of *op }

func (m *mistake) Error() string { return "the error of " + m.of.String() }

const maxFailures = 20

func (r *run) failf(o *op, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.failures) < maxFailures {
		text := fmt.Sprintf(format, args...)
		if o != nil {
			text = fmt.Sprintf("%d (%v): %s", o.number, o, text)
		}
		r.failures = append(r.failures, text)
	}
}

// must reports a failure unless something holds.
func (r *run) must(o *op, holds bool, format string, args ...any) {
	if !holds {
		r.failf(o, format, args...)
	}
}

// A result is how a run ended.
type result struct {
	seed     uint64 // of the program, if it was made from one
	failures []string
	report   string // the program and what was seen, if something failed
	hung     bool
}

func (r *result) failed() bool { return r.hung || len(r.failures) > 0 }

// mainThread is held by the one program that may use the main thread.
var mainThread sync.Mutex

// execute runs p once. A run that takes longer than timeLimit hangs. GOMAXPROCS is what it is to be
// afterwards.
func execute(p *program, timeLimit time.Duration, gomaxprocs int) *result {
	if slices.Contains(p.places, main) {
		mainThread.Lock()
		defer mainThread.Unlock()
	}
	m := predict(p)
	r := &run{p: p, model: m, records: make([]record, len(m.expect))}
	quiet := make(chan struct{})
	go func() {
		defer close(quiet)
		r.all()
	}()
	watch := time.NewTimer(timeLimit)
	defer watch.Stop()
	select {
	case <-quiet:
	case <-watch.C:
		return &result{hung: true, report: goroutines() + "\n" +
			p.text(func(o *op) string { return r.note(o, false) })}
	}
	if p.has(func(o *op) bool { return o.verb == procs }) {
		runtime.GOMAXPROCS(gomaxprocs)
	}
	res := &result{failures: r.failures}
	if res.failed() {
		res.report = p.text(func(o *op) string { return r.note(o, true) })
	}
	return res
}

func goroutines() string {
	dump := make([]byte, 16<<20)
	return string(dump[:runtime.Stack(dump, true)])
}

// all runs the program until it is quiet, and checks it then.
func (r *run) all() {
	for i := range r.p.places {
		r.places = append(r.places, newPlace(r, i))
	}
	var scripts testutil.Group
	for _, script := range r.p.scripts {
		scripts.Go(func() { r.script(script) })
	}
	scripts.Wait()
	r.settle()
	for _, stop := range r.contexts {
		stop()
	}
	r.check()
	for i, p := range r.places {
		r.must(nil, !p.end(), "place %d takes calls after Terminate", i)
		r.must(nil, p.phase.Load() >= 0, "place %d has ended without its stop function", i)
	}
}

// script makes operations one after the other, and on another goroutine when one of them has ended
// the first.
func (r *run) script(ops []*op) {
	s := spot{here: nowhere}
	for len(ops) > 0 {
		var one testutil.Group
		one.Go(func() {
			a := &activation{run: r, issuer: new(issuer), spot: s, g: ident.G(), top: true}
			defer a.stop()
			for len(ops) > 0 {
				o := ops[0]
				ops = ops[1:]
				a.make(o, s)
				a.resume()
			}
			a.finish()
		})
		one.Wait()
	}
}

// settle waits until all that was posted has run.
func (r *run) settle() {
	depth := 1
	r.p.visit(func(o *op, _ spot) {
		if o.verb.posts() {
			depth++
		}
	})
	// what is posted by what is posted, and by what a place ran at its end
	for range min(2*depth, 2*maxDepth+2) {
		for _, p := range r.places {
			if !p.flush() {
				p.finish()
			}
		}
	}
}

// An activation is a function that runs, a coroutine, or a goroutine of the program.
type activation struct {
	run       *run
	worker    *worker // nil off all threads
	issuer    *issuer // the worker's, or its own
	spot      spot
	g         uintptr
	top       bool           // it is a goroutine of the program, in which each operation is made
	labels    unsafe.Pointer // it runs under
	coroutine bool           // it runs in a coroutine
	posted    []*op          // what was taken on
	pulled    []*puller      // its generators
	thrown    any            // what it is panicking with
	exits     bool           // while Goexit unwinds it
}

// function returns what o hands to its place.
func (r *run) function(o *op, s spot) func() {
	return func() {
		p, rec := r.places[o.on], &r.records[o.number]
		w := p.worker()
		if w == nil {
			r.failf(o, "its function ran on a thread that is not the place's")
			return
		}
		if !p.enter(o.verb.posts()) {
			return
		}
		defer p.leave()
		r.must(o, p.kind != own || p.phase.Load() == 1,
			"its function ran before the start function of its thread, or after the stop function")
		r.must(o, !w.closed,
			"its function began after another one on the same thread had terminated it")
		if rec.begun > 0 {
			rec.begun++
			r.failf(o, "its function ran %d times", rec.begun)
			return
		}
		rec.at, rec.where = len(w.began), w
		w.began = append(w.began, o)
		defer func() {
			if rec.ended == panicked && o.verb.posts() {
				w.threw = append(w.threw, o)
			}
			if rec.ended == exited || rec.exits {
				w.exit(rec.g)
				if p.kind == main {
					mainExits.Add(-1)
				}
			}
		}()
		r.act(o, s, w)
	}
}

// act does what the function of o does.
func (r *run) act(o *op, s spot, w *worker) {
	rec := &r.records[o.number]
	rec.progress[1].Store(1)
	defer rec.progress[1].Store(2)
	rec.begun++
	r.must(o, rec.given == o.number+1,
		"its function does not see what was written before the call")
	a := &activation{run: r, worker: w, issuer: new(issuer), spot: s.inside(o), g: ident.G()}
	if w != nil {
		a.issuer = &w.issuer
	}
	a.setLabels(o, rec)
	rec.g = a.g
	rec.ended = exited // unless it comes to its end
	defer func() {
		if rec.thrown = a.thrown; a.thrown != nil {
			rec.ended = panicked
		}
		rec.exits = a.exits
		rec.result = o.number + 1
	}()
	defer a.stop()
	for _, inner := range o.body {
		if o.verb == generator && r.stopped(a.g) {
			break
		}
		a.make(inner, a.spot)
		a.resume()
		if o.verb.pulls() {
			r.suspend(a.g)
		}
	}
	a.finish()
	if o.verb == generator && r.stopped(a.g) {
		rec.ended = ran
		return
	}
	switch o.end {
	case panics:
		a.throw(o)
	case errs:
		a.throw(&mistake{o})
	case exits:
		runtime.Goexit()
	case unwinds:
		defer a.throw(o)
		a.exits = true
		runtime.Goexit()
	}
	rec.ended = ran
}

func (a *activation) throw(value any) {
	a.thrown = value
	panic(value)
}

// make makes an operation and judges the answer.
func (a *activation) make(o *op, s spot) {
	r, rec, w := a.run, &a.run.records[o.number], a.worker
	rec.made, rec.by = true, a
	rec.progress[0].Store(1)
	rec.given = o.number + 1
	a.checkLabels(o, "before")
	exitsBefore := 0
	if w != nil {
		exitsBefore = w.exits[a.g]
	}
	if o.verb.queues() || o.verb.posts() {
		a.issuer.made++
		rec.nth, rec.route = a.issuer.made, route{from: a.issuer, g: a.g, on: o.on}
		if w != nil {
			rec.route.thread, rec.before = w.id.Load(), len(w.began)
		}
		if p := r.places[o.on]; p.ending {
			rec.late = p.terminated.Load()
		}
	}
	answered := false
	defer func() {
		rec.progress[0].Store(2)
		var value any
		if !answered {
			if value = recover(); value != nil {
				rec.answer = panicked
			} else {
				rec.answer = exited
			}
		}
		a.checkLabels(o, "after")
		r.judge(a, o, value, w != nil && w.exits[a.g] != exitsBefore)
		if value != nil && o.through && !a.top {
			// package iter ends a coroutine by the panic alone
			a.exits = rec.exits && !o.verb.pulls()
			a.throw(value)
		}
	}()
	rec.answer = a.do(o, s)
	if o.verb.posts() && rec.answer == ran && (o.verb == coalesced || !o.mayVanish()) {
		a.posted = append(a.posted, o)
	}
	answered = true
}

// do makes an operation. The answer is that its function ran, or why not.
func (a *activation) do(o *op, s spot) answers {
	r, rec, w := a.run, &a.run.records[o.number], a.worker
	var p *place
	if o.verb.hasPlace() {
		p = r.places[o.on]
	}
	whether := func(ok bool) answers {
		if ok {
			return ran
		}
		return refused
	}
	switch o.verb {
	case call:
		return whether(p.Call(r.function(o, s)))
	case eval:
		return a.eval(o, s, p)
	case withContext, postContext:
		return a.withContext(o, s, p)
	case post:
		if p.bound != nil && o.number%2 == 1 {
			return whether(p.bound(r.function(o, s)))
		}
		return whether(p.Go(r.function(o, s)))
	case try:
		return whether(p.TryGo(r.function(o, s)))
	case coalesced:
		rec.runs = p.runs.Load()
		return whether(p.coalesce(o))
	case coroutine, generator:
		a.pull(o, s)
	case startPool:
		a.startPool(o, s)
	case flood:
		a.flood(o, p)
	case forget:
		p.key.of.Forget(o.on)
	case terminate:
		p.terminating.Store(true)
		p.Terminate()
		p.terminated.Store(true)
		p.close()
		if s.here == o.on {
			w.closed = true
		}
	case readError:
		rec.read = r.fault(p, o)
	case on:
		got := p.thread.On()
		r.must(o, got == (s.here == o.on) || s.coroutine && ident.Thread() == 0, "On is %v", got)
	case serve:
		return a.serve(o, r.places[s.here].loop)
	case serveFor:
		if l := r.places[s.here].loop; l != nil { // else it stands in for the main thread
			l.Serve(time.Duration(o.n) * time.Microsecond)
		}
	case poll:
		r.places[s.here].poll()
	case dialog:
		return whether(r.places[s.here].dialog())
	case suspend:
		r.suspend(a.g)
	case onWakeOp:
		here := r.places[s.here]
		here.loop.OnWake(here.wake)
	case unlock:
		if w.coroutines == 0 {
			runtime.UnlockOSThread() //threadcall:ignore the thread must survive it
		}
	case collect:
		runtime.GC()
	case procs:
		runtime.GOMAXPROCS(o.n)
	case yield:
		runtime.Gosched()
	case sleep:
		time.Sleep(time.Duration(o.n) * time.Microsecond)
	}
	return ran
}

// flood posts many small functions, which run in order except on a pool.
func (a *activation) flood(o *op, p *place) {
	r, rec := a.run, &a.run.records[o.number]
	last := -1
	for i := range o.n {
		if p.Go(func() {
			if !p.enter(true) {
				return
			}
			defer p.leave()
			rec.drained.Add(1)
			if p.pool == nil {
				r.must(o, i == last+1, "function %d ran, after %d", i, last)
				last = i
			}
		}) {
			rec.taken++
		} else {
			r.must(o, p.terminating.Load(),
				"function %d was refused by a place that has not been terminated", i)
		}
	}
}

// startPool starts a pool of which each thread needs the last, and ends it.
func (a *activation) startPool(o *op, s spot) {
	var pool *thread.Pool
	defer func() {
		if pool != nil {
			pool.Close()
		}
	}()
	started := make(chan struct{})
	var starts atomic.Int64
	pool, err := thread.StartPool(o.n, thread.WithStart(func() error {
		if starts.Add(1) < int64(o.n) {
			<-started
			return nil
		}
		defer close(started)
		a.run.act(o, s, nil)
		return nil
	}))
	a.run.must(o, err == nil && pool.Call(nop),
		"StartPool returned %v, or its pool refuses calls", err)
}

// A failure is what an op returns as an error.
type failure struct{ *op }

func (failure) Error() string { return "of an op" }

func (a *activation) eval(o *op, s spot, p *place) answers {
	f := a.run.function(o, s)
	g := func() *op { f(); return o }
	var on thread.Caller = p.thread
	if p.pool != nil {
		on = p.pool
	}
	var got *op
	var err error
	if o.number%2 == 0 {
		got, err = thread.EvalContext(context.Background(), on, g)
	} else { // an error comes back in another way
		var failed error
		failed, err = thread.EvalContext(context.Background(), on, func() error { return failure{g()} })
		if f, ok := failed.(failure); ok {
			got = f.op
		}
	}
	switch {
	case got == nil && err != nil:
		return refused
	case got != o || err != nil:
		a.run.failf(o, "EvalContext returned %v, %v", got, err)
	}
	return ran
}

func (a *activation) withContext(o *op, s spot, p *place) answers {
	ctx, stop := o.context(p)
	a.run.records[o.number].labels = labelsOf(ctx)
	if o.verb == postContext {
		a.run.mu.Lock()
		a.run.contexts = append(a.run.contexts, stop)
		a.run.mu.Unlock()
		if p.GoContext(ctx, a.run.function(o, s)) == nil {
			return ran
		} else if ctx.Err() != nil {
			return expired
		}
		return refused
	}
	defer stop()
	switch err := p.CallContext(ctx, a.run.function(o, s)); {
	case err == nil:
		return ran
	case err == thread.ErrTerminated:
		return refused
	case err != ctx.Err():
		a.run.failf(o, "CallContext returned %v while its context says %v", err, ctx.Err())
	}
	return expired
}

// context makes the context of an operation to p, and what ends it in the end.
func (o *op) context(p *place) (ctx context.Context, stop func()) {
	outer := context.Background()
	if o.number%2 == 1 { // what has labels takes another path in the engine
		outer = pprof.WithLabels(outer, pprof.Labels("operation", "odd"))
	}
	after := time.Duration(o.n) * time.Microsecond
	if o.how == timeout {
		return context.WithTimeout(outer, after)
	}
	ctx, stop = context.WithCancel(outer)
	switch o.how {
	case done:
		stop()
	case cancel:
		time.AfterFunc(after, stop)
	case ahead:
		p.Go(stop)
	}
	return ctx, stop
}

// serve serves the thread that the caller is on, until what it posts has run.
func (a *activation) serve(o *op, l *thread.Loop) answers {
	if l == nil { // it stands in for the main thread
		return ran
	}
	ctx, cancelIt := context.WithCancel(context.Background())
	defer cancelIt()
	if !l.Thread().Go(cancelIt) {
		return refused
	}
	switch err := l.ServeContext(ctx); err {
	case context.Canceled:
		return ran
	case thread.ErrTerminated:
		return refused
	default:
		a.run.failf(o, "ServeContext returned %v", err)
		return ran
	}
}

// fault takes a panic, and returns its value.
func (r *run) fault(p *place, o *op) any {
	var pe *thread.PanicError
	select {
	case pe = <-p.panics:
	default:
		return nil
	}
	if m := (*mistake)(nil); errors.As(pe, &m) != (errors.Unwrap(pe) != nil) || m != nil &&
		pe.Value != any(m) {
		r.failf(o, "the handler has %v, in which errors.As does not find %v", pe, pe.Value)
	}
	if !strings.Contains(pe.Stack(), "(*activation).throw") {
		r.failf(o, "the handler has a panic that comes from\n%s", pe.Stack())
	}
	return pe.Value
}
