package main

import (
	"fmt"
	"math"
	"os"
	"runtime"

	"github.com/google/pprof/profile"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/internal/bench"
)

// A cost is what one operation takes from the heap.
type cost struct{ bytes, objects float64 }

func costOf(n int, op func()) (c cost) {
	c.bytes, c.objects = bench.Memory(n, op)
	return c.rounded()
}

// rounded leaves out what the runtime allocates now and then by itself: less than a hundredth of an object.
func (c cost) rounded() cost { return cost{math.Round(c.bytes), math.Round(100*c.objects) / 100} }

func (c cost) String() string {
	switch {
	case c.objects == 0 && c.bytes == 0:
		return "0 B"
	case c.objects == math.Round(c.objects):
		return fmt.Sprintf("%s B in %s", whole(c.bytes), whole(c.objects))
	}
	return fmt.Sprintf("%s B in %.2f", whole(c.bytes), c.objects)
}

// claims are that of the bytes and that of the objects.
func (c cost) claims(what string, here cost) []claim {
	return []claim{
		{says: what + " allocates " + asBytes(c.bytes), claimed: is(c.bytes), found: exactly(here.bytes), unit: asBytes},
		{says: what + " allocates " + ui.Counted(c.objects, "object", "objects"), claimed: is(c.objects), found: exactly(here.objects), unit: number},
	}
}

// allocations checks what the article says of bytes.
func allocations(l *lab) (section, error) {
	var rows [][]string
	var claims []claim
	var found []cost
	for _, d := range designs {
		s := d.open()
		end := bench.OnGoroutine(s)
		here, article := costOf(l.allocs, func() { s.Call(func() {}) }), cost{d.bytes, d.allocs}
		end()
		found = append(found, here)
		rows = append(rows, []string{"**" + d.name + "**: " + d.about, article.String(), here.String()})
		claims = append(claims, article.claims("a call, "+d.name+",", here)...)
	}
	rows = append(rows, []string{"**threadcall**", "", costOf(l.allocs, func() { bench.MainThread.Call(func() {}) }).String()})
	channels := costOf(l.allocs, subject.Channel).bytes
	closures, inPlace := costOf(l.allocs, func() { subject.Send(func() {}) }).bytes, costOf(l.allocs, func() { subject.InPlace(func() {}) }).bytes
	const frames = 5 * 60 * 30
	var cycles [2]series
	for range leastRounds {
		for i, design := range []func() bench.Design{bench.Naive, bench.Struct} {
			cycles[i] = append(cycles[i], collections(design(), 2*l.allocs))
		}
	}
	mib := func(x float64) string { return fmt.Sprintf("%.3f MiB", x) }
	kept := found[1].bytes / found[0].bytes
	compiler, err := l.compile("-m")
	if err != nil {
		return section{}, err
	}
	blocked, err := l.sudogs()
	if err != nil {
		return section{}, err
	}
	grown, err := l.trace(job{Name: "calls", N: l.allocs, Keep: true})
	if err != nil {
		return section{}, err
	}
	return section{
		about: "Bytes and objects of a call are counted by the runtime, with the collector off. The compiler is asked about functions of this project that do " +
			"what those of the article do. 1,000 goroutines do nothing but send on a channel, on which they block: what they allocate " +
			"is the runtime's, and is in a profile with each allocation in it. The article's measurement in windows is in [app.md](app.md#six-minutes).",
		tables: []string{table([]string{"a call", "the article", "here"}, rows)},
		claims: append(claims,
			claim{says: "a pool of channels reduces the bytes by 80 %", claimed: within(0.8, 0.005), found: exactly(1 - kept), unit: percents},
			claim{says: "a channel allocates 96 bytes", claimed: is(96), found: exactly(channels), unit: asBytes},
			claim{says: "a function literal allocates 24 bytes", claimed: is(24), found: exactly(closures), unit: asBytes},
			compiler.claim("Send", "`-m`: the function literal that is sent can be inlined and escapes to the heap, the parameter leaks",
				"can inline Send.func1", "leaking param: f", "func literal escapes to heap"),
			claim{says: "a function literal always escapes to the heap", claimed: more(0), direction: true, found: exactly(inPlace), unit: asBytes,
				here: asBytes(closures) + " where it is sent on a channel, " + asBytes(inPlace) + " where it is only called"},
			claim{says: "five minutes of 30 frames a second, naive, allocate 1.08 MiB", claimed: within(1.08, 0.005), found: exactly(frames * found[0].bytes / (1 << 20)),
				unit: mib, here: fmt.Sprintf("9,000 times %s are %s", asBytes(found[0].bytes), mib(frames*found[0].bytes/(1<<20)))},
			claim{says: "sending on a channel can allocate in the runtime, in `acquireSudog`", claimed: more(0), direction: true, found: exactly(blocked),
				unit: func(n float64) string { return ui.Counted(n, "object", "objects") }},
			claim{says: "the collector runs more often where calls allocate: collections in " + whole(2*l.allocs) + " calls, naive, more than with the struct",
				claimed: more(cycles[1].median().high), direction: true, found: cycles[0].median(), unit: number},
			claim{says: "the heap grows in steps of 8 KiB", claimed: is(8192), found: grown.steps.median(), unit: asBytes}),
	}, nil
}

// naiveCalls makes calls of the naive design.
func naiveCalls(n int) {
	d := bench.Naive()
	defer bench.OnGoroutine(d)()
	for range n {
		d.Call(func() {})
	}
}

// collections counts those during n calls.
func collections(d bench.Design, n int) float64 {
	defer bench.OnGoroutine(d)()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		d.Call(func() {})
	}
	runtime.ReadMemStats(&after)
	return float64(after.NumGC - before.NumGC)
}

// blockedSenders has so many goroutines that block in a send at the same time.
func blockedSenders(n int) {
	c := make(chan int)
	for i := range n {
		go func() { c <- i }()
	}
	for range n {
		runtime.Gosched() // until they have blocked
	}
	for range n {
		<-c
	}
}

// sudogs returns how many objects the runtime allocates for goroutines that block.
func (l *lab) sudogs() (objects float64, err error) {
	file, err := os.CreateTemp("", "threadcall-lab-*.pprof")
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if err := l.run(job{Name: "blocked", N: 1000, Procs: 1, Heap: file.Name()}); err != nil {
		return 0, err
	}
	p, err := profile.Parse(file)
	if err != nil {
		return 0, err
	}
	return cumulative(p, 0, local("blockedSenders.func1")), nil
}
