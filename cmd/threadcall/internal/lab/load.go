package main

import (
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
)

// A load finds out what else the machine did while a section was measured, as a whole and in spans of about a second.
type load struct {
	watch       *machine.Watch
	whole, span machine.Span
	since       time.Time
	spans       int
	noisy       int // of the spans
}

func newLoad() *load {
	w := machine.NewWatch()
	return &load{watch: w, whole: w.Begin(), span: w.Begin(), since: time.Now()}
}

// lap ends a span if it has lasted a second. It must not be called while a process that the lab has started runs,
// whose CPU time would count as that of others.
func (l *load) lap() {
	if time.Since(l.since) < time.Second {
		return
	}
	l.count(l.span.End())
	l.span, l.since = l.watch.Begin(), time.Now()
}

func (l *load) count(t machine.Taken) {
	l.spans++
	if t.Noisy() {
		l.noisy++
	}
}

// end returns what the rest of the machine did, and whether that was too much to tell anything from the measurement.
func (l *load) end() (taken machine.Taken, loaded bool) {
	taken = l.whole.End()
	return taken, l.loaded(taken)
}

func (l *load) loaded(whole machine.Taken) bool { return whole.Noisy() || 5*l.noisy > l.spans }
