package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A load finds out what else used the CPUs while a section was measured, as a whole and in spans of about a second.
//
// Stolen time is not that of the section: where threads block and are notified, CPUs of a virtual machine halt and are
// started again all the time, and the delay of each start counts as stolen, on an otherwise idle host too. It is measured
// before and after the section, while all CPUs compute.
type load struct {
	watch   *machine.Watch
	compute time.Duration // for which they do
	before  machine.Taken
	whole   machine.Span
	span    machine.Span
	since   time.Time // the begin of span
	spans   int
	noisy   int // of the spans
}

func newLoad(compute time.Duration) *load {
	l := &load{watch: machine.NewWatch(), compute: compute}
	l.before = l.computing()
	l.whole, l.span, l.since = l.watch.Begin(), l.watch.Begin(), time.Now()
	return l
}

// computing returns what is taken from threads that compute on all CPUs.
func (l *load) computing() machine.Taken {
	s := l.watch.Begin()
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Go(func() {
			for start := time.Now(); time.Since(start) < l.compute; {
			}
		})
	}
	all.Wait()
	return s.End()
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
	if used(t).Noisy() {
		l.noisy++
	}
}

// used is what was taken, without stolen time.
func used(t machine.Taken) machine.Taken {
	t.Stolen = 0
	return t
}

// end returns half a sentence on what the rest of the machine did, and whether that was too much to tell anything from
// the measurement. The text is empty if the system does not report it.
func (l *load) end() (text string, loaded bool) {
	return l.judge(l.whole.End(), l.computing())
}

func (l *load) judge(whole, after machine.Taken) (text string, loaded bool) {
	if !whole.Known {
		return "", false
	}
	stolen := machine.Taken{Known: true, CPUs: whole.CPUs, Wall: l.before.Wall + after.Wall, Own: l.before.Own + after.Own,
		Stolen: l.before.Stolen + after.Stolen}
	text = used(whole).String()
	if l.spans > 0 {
		text += fmt.Sprintf(", more than 5 %% in %d of %s", l.noisy, ui.Counted(l.spans, "second", "seconds"))
	}
	text += fmt.Sprintf("; the hypervisor took %s of the time of CPUs that computed right before and after",
		percents(float64(stolen.Stolen)/float64(max(1, stolen.Own+stolen.Stolen))))
	return text, used(whole).Noisy() || 5*l.noisy > l.spans || stolen.Noisy()
}
