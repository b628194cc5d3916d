package main

import (
	"fmt"
	"math"

	"github.com/threadcall/threadcall/internal/bench"
)

// A cost is what one operation takes from the heap.
type cost struct{ bytes, objects float64 }

func costOf(n int, op func()) (c cost) {
	c.bytes, c.objects = bench.Memory(n, op)
	return c
}

// String leaves out what the runtime allocates now and then by itself: less than a hundredth of an object.
func (c cost) String() string {
	objects := math.Round(100*c.objects) / 100
	switch {
	case objects == 0 && math.Round(c.bytes) == 0:
		return "0 B"
	case objects == math.Round(objects):
		return fmt.Sprintf("%s B in %s", whole(c.bytes), whole(objects))
	}
	return fmt.Sprintf("%s B in %.2f", whole(c.bytes), objects)
}

// allocations checks what the article says of bytes.
func allocations(l *lab) (section, error) {
	var rows [][]string
	var claims []claim
	var naive float64
	for i, d := range designs {
		s := d.open()
		end := bench.OnGoroutine(s)
		here, article := costOf(l.allocs, func() { s.Call(func() {}) }), cost{d.bytes, d.allocs}
		end()
		if i == 0 {
			naive = math.Round(here.bytes)
		}
		rows = append(rows, []string{"**" + d.name + "**: " + d.about, article.String(), here.String()})
		v := same(here.bytes, d.bytes)
		if v == reproduced {
			v = same(here.objects, d.allocs)
		}
		claims = append(claims, claim{fmt.Sprintf("the %s design allocates %s a call", d.name, article), here.String(), v})
	}
	rows = append(rows, []string{"**threadcall**", "", costOf(l.allocs, func() { bench.MainThread.Call(func() {}) }).String()})
	channels := costOf(l.allocs, func() { channel = make(chan struct{}) }).bytes
	closures, inPlace := costOf(l.allocs, func() { sendClosure(func() {}) }).bytes, costOf(l.allocs, func() { callClosure(func() {}) }).bytes
	bytes := func(says string, article, here float64) claim {
		return claim{says, whole(here) + " B", same(here, article)}
	}
	const frames = 5 * 60 * 30
	mib := fmt.Sprintf("%.2f", frames*naive/(1<<20))
	return section{
		about:  "Bytes and objects of a call are counted by the runtime, with the collector off. The article's measurement in windows is in [app.md](app.md#six-minutes).",
		tables: []string{table([]string{"a call", "the article", "here"}, rows)},
		claims: append(claims,
			bytes("a channel allocates 96 bytes", 96, channels),
			bytes("a function literal allocates 24 bytes", 24, closures),
			claim{"a function literal always escapes to the heap", fmt.Sprintf("%s B where it is sent on a channel, %s B where it is only called",
				whole(closures), whole(inPlace)), holds(closures > 0 && inPlace > 0)},
			claim{"five minutes of 30 frames a second, with the naive design, allocate 1.08 MiB", fmt.Sprintf("9,000 times %s B are %s MiB", whole(naive), mib), holds(mib == "1.08")}),
	}, nil
}

var (
	channel = make(chan struct{})
	queue   = make(chan func(), 1)
)

// sendClosure sends a function literal over a function and a channel.
//
//go:noinline
func sendClosure(f func()) {
	done := channel
	queue <- func() { f(); close(done) }
	<-queue
}

// callClosure calls such a function literal where it stands.
//
//go:noinline
func callClosure(f func()) {
	done := channel
	call(func() { f(); _ = done })
}

//go:noinline
func call(f func()) { f() }
