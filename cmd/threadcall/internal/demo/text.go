package demo

import (
	"fmt"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Text tells a reader what a [Report] is filled with, at the time when it is found out. Its methods are called in the
// order in which they stand here.
type Text struct{ *ui.Screen }

// Opening says where the demo runs.
func (t Text) Opening(r *Report) {
	s := r.System
	t.say("%s  %s/%s, %s, %d CPUs, GOMAXPROCS=%d, CGO_ENABLED=%s\n\n", t.Bold("threadcall demo"), s.OS, s.Arch, s.Go,
		s.CPUs, s.GOMAXPROCS, s.CGO)
	t.say("%s\n\n", t.Bold("1. Functions run on the thread they belong to"))
	t.say("Process %d. Its main thread is thread %s.\n\n", r.Process, r.MainThread)
}

// Fact says what was expected and what was seen.
func (t Text) Fact(f Fact) {
	t.Paragraph(t.mark(f.OK, 5)+"  ", t.Bold(f.Claim))
	if len(f.Calls) > 0 {
		t.calls(f.Calls)
	}
	t.Paragraph("       expected  ", f.Expected)
	seen := "seen"
	if !f.OK {
		seen = t.Red(seen)
	}
	t.Paragraph("       "+seen+"      ", f.Seen)
	t.say("\n")
}

// calls shows one call of each kind and counts those like it.
func (t Text) calls(calls []Call) {
	kind := func(c Call) [2]string { return [2]string{c.From, c.Ran} }
	alike := map[[2]string]int{}
	for _, c := range calls {
		alike[kind(c)]++
	}
	t.say("       goroutine   from thread   expected on        ran on\n")
	for _, c := range calls {
		n := alike[kind(c)]
		if n == 0 {
			continue // shown
		}
		alike[kind(c)] = 0
		more := ""
		if n > 1 {
			more = t.Faint(fmt.Sprintf("  and %d more", n-1))
		}
		t.say("       %9d %13s %13s %13s  %s%s\n", c.Goroutine, c.From, c.Expected, c.Ran, t.mark(c.OK, 0), more)
	}
}

// Measuring says what is about to be measured, which takes its time.
func (t Text) Measuring(set Settings) {
	t.say("%s\n\n", t.Bold("2. What a call costs"))
	t.Paragraph("", `The article "Scheduling Function Calls with Zero Allocation" (2021) has three designs in which one
		goroutine receives functions on a channel: naive, pooled and struct. It measured them with a goroutine that is
		locked to no thread: the first half of the table. A program that needs its main thread pays for the second
		half.`)
	rounds := "rounds, each in an order of its own"
	if set.Rounds == 1 {
		rounds = "round"
	}
	t.say("\n")
	t.Paragraph("", fmt.Sprintf("Times are medians of %d %s, with %v of calls to a sample. This takes about %v.",
		set.Rounds, rounds, set.Duration, max(set.About().Round(time.Second), time.Second)))
	t.say("\n")
}

// Results has all that follows from the measurements.
func (t Text) Results(r *Report) {
	t.table(r)
	t.say("\n")
	t.verdict(r)
	t.say("\n")
	t.chart(r)
	t.say("\n")
}

func (t Text) verdict(r *Report) {
	v := r.Verdict
	t.Paragraph("", fmt.Sprintf("On the main thread, threadcall is %s times as fast as %s, the best of the others (the "+
		"median of the rounds, which saw %s).", t.Bold(ui.Digits(v.Times.Median)), v.Best, between(v.Times)))
	if floor := r.Row("floor", TwoThreads).Time; v.Floors > 0 {
		t.Paragraph("", fmt.Sprintf("It takes %s times as long as the floor where that was lowest, at %s.", ui.Digits(v.Floors),
			ui.Duration(floor.Min)))
		if floor.Max > uneasy*floor.Min {
			t.Paragraph("", fmt.Sprintf("In another round the floor was %s times as high: its threads had to share a "+
				"core, with each other or with other programs. All times are better where that does not happen.",
				ui.Digits(floor.Max/floor.Min)))
		}
	}
	t.Paragraph("", fmt.Sprintf("On an unlocked goroutine, %s looks %s times as fast as it is on the main thread (%s).",
		v.Best, ui.Digits(v.Masked.Median), between(v.Masked)))
}

// uneasy is how much the floor may vary by itself, as its threads come to be on cores that are near or far.
const uneasy = 8

func between(s Spread) string { return ui.Digits(s.Min) + " to " + ui.Digits(s.Max) }

// Closing says whether all was as expected.
func (t Text) Closing(r *Report) {
	wrong := 0
	for _, f := range r.Facts {
		if !f.OK {
			wrong++
		}
	}
	if wrong == 0 {
		t.say("%s  %d of %d facts are as expected.\n", t.mark(true, 0), len(r.Facts), len(r.Facts))
		return
	}
	t.say("%s  %d of %d facts are not as expected:\n", t.mark(false, 0), wrong, len(r.Facts))
	for _, f := range r.Facts {
		if !f.OK {
			t.Paragraph("       ", f.Claim)
		}
	}
}

func (t Text) mark(ok bool, width int) string {
	if ok {
		return t.Green(fmt.Sprintf("%-*s", width, "ok"))
	}
	return t.Red(fmt.Sprintf("%-*s", width, "WRONG"))
}

func (t Text) say(format string, args ...any) { fmt.Fprintf(t, format, args...) }
