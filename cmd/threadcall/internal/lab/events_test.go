package main

import (
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"
	"github.com/threadcall/threadcall/internal/testutil"
)

func newLab(t *testing.T) *lab {
	return &lab{settings: quick, ctx: t.Context(), load: newLoad(quick.compute)}
}

func TestTheEventsOfAJob(t *testing.T) {
	l := newLab(t)
	sleeps, err := l.trace(job{Name: "sleeps", N: 20, Procs: 1, Late: true})
	if err != nil {
		t.Fatal(err)
	}
	if sleeps.total < 20*time.Millisecond || sleeps.procs != 1 {
		t.Errorf("20 waits of a millisecond: %+v", sleeps.events)
	}
	pointed, err := l.trace(job{Name: "pointed", N: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	e := pointed.events
	e.steps = nil
	if e.cycles == 0 || e.stopped == 0 || e.stopped > e.cycles || e.counted < e.cycles || e.counted < e.either || e.either < max(e.runnable, e.sweeping, e.stopped) || e.total < e.counted {
		t.Errorf("a million pointers: %+v", e)
	}
	kept, err := l.trace(job{Name: "pointed", N: 1_000_000, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	grown := 0.0
	for _, step := range kept.steps {
		grown += step
	}
	want := 1e6 * costOf(1000, func() { subject.Pointers(1) }).bytes
	if kept.cycles != 0 || grown < 0.98*want || grown > want+10e6 {
		t.Errorf("%v bytes were allocated and kept: the heap grew by %v in %d steps, %v of collections", want, grown, len(kept.steps), kept.cycles)
	}
}

func TestAGoroutineThatIsNotifiedRunsNext(t *testing.T) {
	if testutil.Race {
		t.Skip("with the race detector, the scheduler draws the order")
	}
	for another, want := range map[bool]float64{false: 0, true: 3} {
		var before series
		for range 101 { // a preemption changes the order of one
			before = append(before, float64(runNext(another)))
		}
		if got := before.median().centre; got != want {
			t.Errorf("then another is notified: %v: %v goroutines ran before it, want %v", another, got, want)
		}
	}
}

func TestSudogsAreCounted(t *testing.T) {
	n, err := newLab(t).sudogs()
	if err != nil || n < 900 || n > 1000 {
		t.Errorf("%v objects for 1000 senders, %v", n, err)
	}
}

func TestTheCompilerIsAskedAboutEachFunction(t *testing.T) {
	m, err := newLab(t).compile("-m -l")
	if err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string]int{"Value": 0, "Up": 1, "Down": 1, "Copied": 0, "Pointed": 1} {
		if len(m[function]) != want {
			t.Errorf("%s: %q", function, m[function])
		}
	}
	if v := m.claim("Up", "", "moved to heap: res").judge(false); v != reproduced {
		t.Errorf("a line that the compiler writes: %s", v)
	}
	if v := m.claim("Up", "").judge(false); v != notReproduced {
		t.Errorf("no line, and the compiler writes one: %s", v)
	}
	if v := m.claim("Down", "", "moved to heap: y").judge(false); v != notReproduced {
		t.Errorf("a line that the compiler does not write: %s", v)
	}
	if *subject.Up() != subject.Value() {
		t.Error("the subjects differ in what they compute")
	}
}

func TestAStackGrowsByACopy(t *testing.T) {
	if size, moved, kept := firstStack, copied(64), copied(0); size < 1024 || moved != 1 || kept != 0 {
		t.Errorf("a stack starts with %v bytes; moved for 64 KiB: %v, for nothing: %v", size, moved, kept)
	}
}
