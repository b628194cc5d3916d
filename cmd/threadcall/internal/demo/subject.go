package demo

import (
	"fmt"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
	"github.com/threadcall/threadcall/mainthread"
)

// A subject is what the samples of a row are taken of.
type subject struct {
	name   string
	served Place
	sample func(m *meter, d time.Duration) Sample // nil if there is no such thing
	why    string                                 // there is none
}

// take takes a sample that should last for d, and says what its meter has seen. It returns a fact instead if that
// hangs or panics.
func (s subject) take(d time.Duration) (sample Sample, m meter, wrong *Fact) {
	type taken struct {
		Sample
		meter
	}
	result := make(chan taken, 1)
	e := experiment{fmt.Sprintf("%s can be measured, served by %s", s.name, s.served), func(f *Fact) {
		var t taken
		t.Sample = s.sample(&t.meter, d)
		result <- t
		f.Seen = f.Expected
	}}
	if f := e.perform(time.Minute + 10*d); !f.OK {
		return sample, m, &f
	}
	t := <-result
	return t.Sample, t.meter, nil
}

func subjects() []subject {
	return []subject{
		{"direct", Unlocked, direct, ""},
		{"direct", MainThread, directOnMain, ""},
		{"naive", Unlocked, unlocked(bench.Naive), ""},
		{"naive", MainThread, onMain(bench.Naive), ""},
		{"pooled", Unlocked, unlocked(bench.Pooled), ""},
		{"pooled", MainThread, onMain(bench.Pooled), ""},
		{"struct", Unlocked, unlocked(bench.Struct), ""},
		{"struct", MainThread, onMain(bench.Struct), ""},
		{"threadcall", Unlocked, nil, "threadcall is for threads: it always serves one"},
		{"threadcall", MainThread, callMain, ""},
		floor(),
	}
}

func direct(m *meter, d time.Duration) Sample { return m.measure(m.work, d) }

func directOnMain(m *meter, d time.Duration) (s Sample) {
	mainthread.Call(func() { s = direct(m, d) })
	return s
}

func callMain(m *meter, d time.Duration) Sample {
	work := m.work
	return m.measure(func() { mainthread.Call(work) }, d)
}

func unlocked(design func() bench.Design) func(*meter, time.Duration) Sample {
	return func(m *meter, d time.Duration) Sample {
		served := design()
		defer bench.OnGoroutine(served)()
		return through(served, m, d)
	}
}

// onMain has the main thread do nothing but serve the design, for as long as the sample takes.
func onMain(design func() bench.Design) func(*meter, time.Duration) Sample {
	return func(m *meter, d time.Duration) Sample {
		served := design()
		stop := make(chan struct{})
		mainthread.Go(func() { served.Serve(stop) })
		defer mainthread.Call(func() {}) // returns after Serve
		defer close(stop)
		return through(served, m, d)
	}
}

func through(served bench.Design, m *meter, d time.Duration) Sample {
	work := m.work
	return m.measure(func() { served.Call(work) }, d)
}

// floor is what no call between two threads can be faster than.
func floor() subject {
	s := subject{name: "floor", served: TwoThreads}
	if _, ok := bench.Bound(bench.Extent{N: 1}); !ok {
		s.why = "two threads cannot run at the same time here"
		return s
	}
	s.sample = func(m *meter, d time.Duration) Sample {
		bench.Bound(bench.Extent{D: d / 10}) // warms up
		r, _ := bench.Bound(bench.Extent{D: d})
		return Sample{Calls: r.Ops, Time: r.Time}
	}
	return s
}
