package main

import (
	"fmt"
	"github.com/threadcall/threadcall/internal/bench"
	"math"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
	"github.com/threadcall/threadcall/internal/lab/work"
)

// A cost is what one operation takes from the heap.
type cost struct{ bytes, allocs float64 }

// costOf counts what n operations take from the heap. Nothing is collected meanwhile, because that empties pools.
func costOf(n int, op func(n int)) cost {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	op(n/10 + 1) // fills the pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	op(n)
	runtime.ReadMemStats(&after)
	return cost{
		bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
	}
}

// text writes a cost without what the runtime allocates now and then by itself: less than a hundredth of an object.
func (c cost) text() string {
	objects := math.Round(100*c.allocs) / 100
	if objects == 0 && math.Round(c.bytes) == 0 {
		return "0 B"
	}
	if objects == math.Round(objects) {
		return fmt.Sprintf("%s B in %s", paper.Whole(c.bytes), paper.Whole(objects))
	}
	return fmt.Sprintf("%s B in %.2f", paper.Whole(c.bytes), objects)
}

// An allocationsResult is what designs and things take from the heap.
type allocationsResult struct {
	designs    [3]cost // by design
	threadcall cost
	sizes      work.Sizes
}

// measureAllocations checks what the article says of bytes.
func measureAllocations(l *lab) (r allocationsResult, err error) {
	for i, d := range designs {
		s := d.open()
		end := bench.OnGoroutine(s)
		r.designs[i] = costOf(l.profile, func(n int) {
			for range n {
				s.Call(nop)
			}
		})
		end()
		l.progress.step(i+1, len(designs)+2)
	}
	r.threadcall = costOf(l.profile, func(n int) {
		for range n {
			mainThread{}.Call(nop)
		}
	})
	done, err := work.Run(work.Job{Name: "sizes"})
	r.sizes = done.Sizes
	return r, err
}

func (r allocationsResult) about() string {
	return paper.Wrap("The designs are those of the section before. Bytes and objects a call are counted by the runtime over many calls, with the collector " +
		"off. The sizes of single things come from a memory profile that counts all allocations of a process made for that, and are those of the " +
		"allocator's classes, which the thing itself may not fill.")
}

func (r allocationsResult) table() string {
	var rows [][]string
	for i, d := range designs {
		rows = append(rows, []string{"**" + d.name + "**: " + d.about, cost{d.bytes, d.allocs}.text(), r.designs[i].text()})
	}
	rows = append(rows, []string{"**threadcall**", "", r.threadcall.text()})
	return paper.Table([]string{"a call", "the article", "here"}, rows)
}

func (r allocationsResult) picture() picture.Picture {
	single := func(name string, group int, here, article float64) picture.Row {
		return picture.Row{Name: name, Group: group, Series: measure.Series{Values: []float64{math.Round(here)}}, Article: article}
	}
	var rows []picture.Row
	for i, d := range designs {
		rows = append(rows, single("a call, "+d.name, 0, r.designs[i].bytes, d.bytes))
	}
	rows = append(rows, single("a call, threadcall", 3, r.threadcall.bytes, 0),
		single("a channel", 1, r.sizes.Channel, 96),
		single("a closure that is sent", 1, r.sizes.Closure, 24),
		single("the same, called in place", 1, r.sizes.InPlace, 0),
		single("a waiting goroutine's sudog", 1, r.sizes.Sudog, 88))
	return picture.Picture{Title: "Allocation", Panels: []picture.Panel{{Title: "bytes", Rows: rows}}}
}

// exactly judges a number that does not depend on the machine's speed. Why it has grown is said if it has.
func exactly(says string, article, here float64, unit, why string) paper.Claim {
	c := paper.Claim{Says: says, Here: paper.Whole(here) + " " + unit, Verdict: paper.Reproduced}
	if math.Round(here) != article {
		c.Verdict = paper.Changed
	}
	if math.Round(here) > article {
		c.Why = why
	}
	return c
}

func (r allocationsResult) claims() (claims []paper.Claim) {
	for i, d := range designs {
		c := exactly(fmt.Sprintf("the %s design allocates %s B in %s a call", d.name, paper.Whole(d.bytes), objectsText(d.allocs)),
			d.bytes, r.designs[i].bytes, "B", "")
		c.Here = r.designs[i].text()
		if math.Round(r.designs[i].allocs) != d.allocs {
			c.Verdict = paper.Changed
		}
		if c.Verdict == paper.Changed && i == 0 && math.Round(r.designs[0].bytes) == math.Round(r.sizes.Channel+r.sizes.Closure) {
			c.Why = fmt.Sprintf("the channel, %s B, and the closure, %s B", paper.Whole(r.sizes.Channel), paper.Whole(r.sizes.Closure))
		}
		claims = append(claims, c)
	}
	claims = append(claims,
		exactly("a channel allocates 96 bytes", 96, r.sizes.Channel, "B",
			"`runtime.hchan` has got fields since 2021, among them those for the channels of timers and for testing/synctest"),
		exactly("a function literal allocates 24 bytes", 24, r.sizes.Closure, "B", "what it takes depends on what it refers to"),
		r.escapes(),
		exactly("`runtime.acquireSudog` allocates 88 bytes", 88, r.sizes.Sudog, "B", "`runtime.sudog` has got fields since"),
		exactly("the heap grows in steps of 8 KiB", 8192, r.sizes.HeapStep, "B at least", "the allocator's pages are larger"),
		r.fiveMinutes())
	return claims
}

func (r allocationsResult) escapes() paper.Claim {
	c := paper.Claim{
		Says: "a function literal always escapes to the heap",
		Here: fmt.Sprintf("%s B where it is sent on a channel, %s B where it is only called", paper.Whole(r.sizes.Closure), paper.Whole(r.sizes.InPlace)),
	}
	switch {
	case r.sizes.Closure > 0 && r.sizes.InPlace > 0:
		c.Verdict = paper.Reproduced
	case r.sizes.Closure > 0:
		c.Verdict, c.Why = paper.NotReproduced, "the sending makes it escape, not the literal"
	default:
		c.Verdict, c.Why = paper.NotReproduced, "not even the one that is sent does"
	}
	return c
}

// fiveMinutes checks a multiplication of the article: what five minutes with 30 frames a second allocate.
func (r allocationsResult) fiveMinutes() paper.Claim {
	const frames = 5 * 60 * 30
	mib := func(bytes float64) string { return fmt.Sprintf("%.2f MiB", bytes/(1<<20)) }
	c := paper.Claim{
		Says:    "five minutes of 30 frames a second, with the naive design, allocate 1.08 MiB",
		Here:    fmt.Sprintf("9,000 times %s B are %s", paper.Whole(r.designs[0].bytes), mib(frames*math.Round(r.designs[0].bytes))),
		Verdict: paper.NotReproduced,
		Why:     fmt.Sprintf("9,000 times the article's 120 B are 1.08 MB, but %s", mib(frames*120)),
	}
	if math.Round(100*frames*r.designs[0].bytes/(1<<20)) == 108 {
		c.Verdict, c.Why = paper.Reproduced, ""
	}
	return c
}

func (r allocationsResult) conclusion() string {
	var s []string
	say := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	same, changed := 0, 0
	for _, c := range r.claims() {
		switch c.Verdict {
		case paper.Reproduced:
			same++
		default:
			changed++
		}
	}
	say("%d of these %d statements hold with %s, %d do not.", same, same+changed, runtime.Version(), changed)
	saved := r.designs[0].bytes - r.designs[1].bytes
	if math.Round(saved) == math.Round(r.sizes.Channel) && math.Round(r.designs[1].bytes) == math.Round(r.sizes.Closure) && math.Round(r.designs[2].bytes) == 0 {
		say("The order of things is as the article has it: pooling saves the channel, %s B, the struct saves the closure, %s B, and then nothing is left that a call allocates.",
			paper.Whole(r.sizes.Channel), paper.Whole(r.sizes.Closure))
	}
	if r.threadcall.allocs < 0.005 {
		say("A call of threadcall allocates nothing either, and does so without a channel, so that no sudog is needed for it.")
	}
	say("What the article measured in windows over six minutes is in [app.md](app.md#six-minutes).")
	return paper.Wrap(strings.Join(s, " "))
}
