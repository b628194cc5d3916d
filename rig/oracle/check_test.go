package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// judge checks what an operation answered, and with which panic, as soon as it has. unwinding
// reports that meanwhile a function on the same thread has called Goexit.
func (r *run) judge(a *activation, o *op, value any, unwinding bool) {
	rec := &r.records[o.number]
	// A call that has begun ends before its caller's goroutine is unwound, and its panic is raised
	// then.
	r.must(o, !unwinding || rec.answer == exited || o.verb.hasBody() && rec.answer == panicked,
		"it was %v although a Goexit unwinds its goroutine", rec.answer)
	if rec.answer == exited && o.verb.queues() && rec.progress[1].Load() != 2 {
		rec.left = true
		r.must(o, rec.progress[1].Load() != 1, "its goroutine exits before its function has ended")
	}
	if !o.verb.hasBody() || o.verb == generator {
		switch {
		case rec.answer == panicked:
			r.failf(o, "it panicked: %v", value)
		case rec.answer == exited && !unwinding:
			r.failf(o, "its goroutine exits, for no known reason")
		}
		return
	}
	ending := false
	if o.verb.queues() || o.verb.posts() {
		ending = r.places[o.on].terminating.Load()
	}
	r.must(o, rec.answer != refused || ending || o.verb == try && r.places[o.on].kind == limited,
		"it was refused by a place that has not been terminated")
	r.must(o, !rec.late || rec.answer&(refused|expired) != 0,
		"it was %v by a place that had been terminated", rec.answer)
	if o.verb.posts() {
		r.must(o, rec.answer&(panicked|exited) == 0, "the post %v: %v", rec.answer, value)
		return
	}
	switch refusal := rec.answer&(refused|expired) != 0; {
	case refusal && rec.begun != 0:
		r.failf(o, "it was %v, but its function ran", rec.answer)
		return
	case refusal, rec.answer == exited && unwinding:
		return
	case rec.begun != 1:
		r.failf(o, "it %v, but its function ran %d times (panic: %v)", rec.answer, rec.begun, value)
		return
	case rec.ended != rec.answer:
		r.failf(o, "it %v, but its function %v", rec.answer, rec.ended)
	case a.worker != nil && o.verb.queues() && a.spot.here == o.on &&
		(rec.where != a.worker || rec.g != a.g):
		r.failf(o, "its function did not run in place")
	case a.worker != nil && o.verb.queues() && a.spot.here == o.on && rec.at != rec.before:
		r.failf(o, "it was made on its thread, and %d functions ran before its own",
			rec.at-rec.before)
	case rec.answer == panicked && value != rec.thrown:
		r.failf(o, "its function panicked with %v and it with %v", rec.thrown, value)
	case rec.result != o.number+1:
		r.failf(o, "what its function wrote is not visible after it")
	}
	if !o.verb.queues() || !r.ordered(o, a) {
		return
	}
	for _, before := range a.posted {
		r.must(o, before.on != o.on || r.taken(before),
			"it ran, but what the same goroutine had posted before (%d) did not", before.number)
	}
}

// taken reports whether what was posted has run, or, if it was coalesced, what was queued in its
// place.
func (r *run) taken(o *op) bool {
	rec := &r.records[o.number]
	if o.verb == coalesced {
		return r.places[o.on].runs.Load() > rec.runs
	}
	return rec.begun > 0
}

// ordered reports whether o is in the order of what an activation gives to its place. A call that
// is made on the thread itself is not. A pool of one thread keeps the order.
func (r *run) ordered(o *op, by *activation) bool {
	k := r.places[o.on].kind
	return (!k.pool() || k == pool1) && (by.spot.here != o.on || o.verb.posts())
}

// check checks a program that has ended.
func (r *run) check() {
	r.p.visit(func(o *op, _ spot) {
		rec, e := &r.records[o.number], &r.model.expect[o.number]
		switch {
		case !e.made.allows(rec.made):
			r.failf(o, "made: %v, the model says %+v", rec.made, e.made)
		case rec.made && rec.answer&e.answers == 0:
			r.failf(o, "it was %v, the model says %v", rec.answer, e.answers)
		case o.verb.hasBody() && !e.begins.allows(rec.begun > 0):
			r.failf(o, "its function ran %d times, the model says %+v", rec.begun, e.begins)
		case rec.left && rec.begun > 0:
			r.failf(o, "its function began after its caller's goroutine had been unwound")
		case rec.begun > 0 && rec.progress[1].Load() != 2:
			r.failf(o, "its function has not ended")
		case o.verb.posts() && rec.answer&(refused|expired) != 0 && rec.begun > 0:
			r.failf(o, "it was refused, but its function ran")
		case o.verb.posts() && rec.answer == ran && rec.begun == 0 && !o.mayVanish() &&
			!r.places[o.on].terminated.Load():
			r.failf(o, "its function has not run")
		case o.verb == coalesced && rec.answer == ran && r.places[o.on].runs.Load() <= rec.runs &&
			!r.places[o.on].terminated.Load():
			r.failf(o, "no function has run after it")
		case o.verb.posts() && rec.begun > 0 && rec.result != o.number+1:
			r.failf(o, "what its function wrote is not visible")
		case o.verb == flood && int(rec.drained.Load()) != rec.taken &&
			!r.places[o.on].terminated.Load():
			r.failf(o, "%d functions of %d have run", rec.drained.Load(), rec.taken)
		}
	})
	r.checkThreads()
	r.checkOrder()
	for i, p := range r.places {
		r.checkErrors(i, p)
	}
}

// checkThreads checks that each place has threads of its own.
func (r *run) checkThreads() {
	owner := map[uint64]int{}
	for i, p := range r.places {
		if p.terminated.Load() {
			continue // another one may have its number by now
		}
		for w := range p.workers {
			id := p.workers[w].id.Load()
			other, found := owner[id]
			r.must(nil, !found || id <= 1, "places %d and %d are one thread", other, i)
			owner[id] = i
		}
	}
}

// A route is that of the operations that one goroutine has made on one thread, to one place.
type route struct {
	from   *issuer
	thread uint64 // if from is a worker; that of a key changes
	g      uintptr
	on     int
}

// checkOrder checks that what one goroutine gave to one place began in its order, and that the last
// of the coalesced functions that ran at a place is the latest of its goroutine.
func (r *run) checkOrder() {
	r.inOrder(func(o *op, rec *record) bool {
		return rec.begun > 0 && o.verb != coalesced && (o.verb.queues() || o.verb.posts()) &&
			r.ordered(o, rec.by)
	})
	began := r.inOrder(func(o *op, rec *record) bool {
		return rec.begun > 0 && o.verb == coalesced && rec.answer == ran
	})
	for i, p := range r.places {
		var last *op
		for route, o := range began {
			if route.on == i && (last == nil || r.records[last.number].at < r.records[o.number].at) {
				last = o
			}
		}
		if last == nil || p.terminated.Load() {
			continue
		}
		of := &r.records[last.number]
		r.p.visit(func(o *op, _ spot) {
			rec := &r.records[o.number]
			r.must(o, o.verb != coalesced || rec.answer != ran || rec.route != of.route ||
				rec.nth <= of.nth, "its function did not run, but last that of %d, which the same "+
				"goroutine had posted earlier", last.number)
		})
	}
}

// inOrder checks that the functions of such operations began in the order in which each goroutine
// made them, and returns the last of each route.
func (r *run) inOrder(such func(o *op, rec *record) bool) (last map[route]*op) {
	var ops []*op
	r.p.visit(func(o *op, _ spot) {
		if such(o, &r.records[o.number]) {
			ops = append(ops, o)
		}
	})
	slices.SortFunc(ops, func(a, b *op) int {
		return cmp.Compare(r.records[a.number].nth, r.records[b.number].nth)
	})
	last = map[route]*op{}
	for _, o := range ops {
		rec := &r.records[o.number]
		if before := last[rec.route]; before != nil && r.records[before.number].at > rec.at {
			r.failf(o, "its function began before that of %d, which the same goroutine had asked "+
				"for earlier", before.number)
		}
		last[rec.route] = o
	}
	return last
}

// patient is how long a panic may take to be kept where nothing can be waited for.
const patient = 10 * time.Second

// checkErrors checks that the handler is given each panic of a posted function once, and in order.
func (r *run) checkErrors(number int, p *place) {
	if p.key != nil {
		return
	}
	var want []*op
	times, read := map[any]int{}, 0 // how often a value was returned; by operations
	r.p.visit(func(o *op, _ spot) {
		rec := &r.records[o.number]
		switch {
		case o.on != number:
		case o.verb.posts() && rec.ended == panicked:
			want = append(want, o)
		case o.verb == readError && rec.read != nil:
			times[rec.read]++
			read++
		}
	})
	var rest []any
	for start := time.Now(); ; time.Sleep(50 * time.Microsecond) {
		for v := r.fault(p, nil); v != nil; v = r.fault(p, nil) {
			rest = append(rest, v)
			times[v]++
		}
		if !p.terminated.Load() || read+len(rest) >= len(want) || time.Since(start) > patient {
			break
		}
	}
	for _, o := range want {
		n := times[r.records[o.number].thrown]
		r.must(o, n == 1, "its panic was given to the handler %d times", n)
	}
	if read+len(rest) != len(want) {
		r.failf(nil, "place %d: %d functions panicked, the handler has %v", number, len(want), times)
		return
	}
	for i, o := range p.workers[0].threw {
		r.must(o, len(p.workers) > 1 || i < read || rest[i-read] == r.records[o.number].thrown,
			"the handler was not given its panic in the order in which they came")
	}
}

// note says of an operation how far it has come; when all has ended, also what was seen, and what
// the model allows.
func (r *run) note(o *op, ended bool) string {
	rec := &r.records[o.number]
	text := fmt.Sprintf("%d: %v", o.number, &rec.progress[0])
	if o.verb.hasBody() {
		text += fmt.Sprintf(", its function %v", &rec.progress[1])
	}
	if ended {
		text += fmt.Sprintf("; %v, allowed: %v; ran %d times, %v", rec.answer,
			r.model.expect[o.number].answers, rec.begun, rec.ended)
	}
	return text
}

// setLabels notes which labels the function of o must run under: those of its context; those of its
// caller if it runs in place; or none. In a coroutine they are checked as it begins, and not later:
// the engine resets them to those of the goroutine that serves.
func (a *activation) setLabels(o *op, rec *record) {
	_, a.coroutine = a.run.pulled.Load(a.g)
	switch {
	case rec.labels != nil:
		a.labels = rec.labels
		got := goroutineLabels()
		a.run.must(o, got == a.labels, "its function runs under the labels %p, want %p", got, a.labels)
	case o.verb.queues() && !o.verb.posts() && rec.by.g == a.g:
		a.labels = rec.by.labels
	}
}

// checkLabels checks that a runs under the labels with which it began.
func (a *activation) checkLabels(o *op, when string) {
	got := goroutineLabels()
	a.run.must(o, got == a.labels || a.coroutine, "the labels %s it are %p, want %p", when, got,
		a.labels)
}
