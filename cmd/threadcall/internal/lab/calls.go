package main

import (
	"fmt"

	"github.com/threadcall/threadcall/internal/bench"
)

// designs are the article's, with what it measured.
var designs = []struct {
	name, about       string
	open              func() bench.Design
	ns, bytes, allocs float64
}{
	{"naive", "a channel made for each call, a closure", bench.Naive, 448, 120, 2},
	{"pooled", "a channel from a pool, a closure", bench.Pooled, 440, 24, 1},
	{"struct", "a channel from a pool, no closure", bench.Struct, 366, 0, 0},
}

// calls compares the article's designs, served as its benchmark served them and as it meant to, with threadcall.
func calls(l *lab) (section, error) {
	contenders := []bench.Contender{bench.Direct("")}
	for _, serve := range []func(bench.Design) func(){bench.OnGoroutine, bench.OnMain} {
		for _, d := range designs {
			contenders = append(contenders, bench.Calling("", func() (bench.Subject, func()) {
				s := d.open()
				return s, serve(s)
			}))
		}
	}
	contenders = append(contenders, bench.Calling("", func() (bench.Subject, func()) { return bench.MainThread, func() {} }))
	if c, ok := bench.Bounded(""); ok {
		contenders = append(contenders, c)
	}
	s, err := l.measure(0, contenders...)
	if err != nil {
		return section{}, err
	}
	const articleDirect = 0.95 // ns
	direct, unlocked, main, threadcall := s[0], s[1:4], s[4:7], s[7]
	rows := [][]string{{"a plain call", duration(articleDirect), direct.median().time(), ""}}
	for i, d := range designs {
		rows = append(rows, []string{"**" + d.name + "**: " + d.about, duration(d.ns), unlocked[i].median().time(), main[i].median().time()})
	}
	rows = append(rows, []string{"**threadcall**, the struct design takes " + main[2].over(threadcall).String() + " times that", "", "", threadcall.median().time()})
	if len(s) > 8 {
		rows = append(rows, []string{"the lower bound", "", "", s[8].median().time()})
	}
	saves := func(what string, design int) claim {
		free := unlocked[design].over(unlocked[0])
		return claim{fmt.Sprintf("%s saves %.1f %% of the time", what, 100*(1-designs[design].ns/designs[0].ns)),
			fmt.Sprintf("of the naive design's time, unlocked %s, on the main thread %s", free, main[design].over(main[0])), free.below(1)}
	}
	here, free := main[2].median().centre, unlocked[2].median().centre
	return section{
		about: "A goroutine calls an empty function in a closed loop. *Unlocked* is what the article's benchmark measured: it starts the serving loop on " +
			"the goroutine of the benchmark, which is locked to no thread. *Main thread* is the same design with the loop on the main thread. *The lower " +
			"bound* is two threads that hand one atomic word to and fro.",
		tables: []string{table([]string{"a call", "the article", "unlocked", "main thread"}, rows)},
		claims: []claim{
			{"a plain call costs 0.95 ns", duration(direct.median().centre), near(direct.median().centre, articleDirect)},
			{"a call of the main thread costs 366 ns", duration(here) + "; unlocked " + duration(free), near(here, 366)},
			saves("a channel from a pool", 1),
			saves("a struct instead of the closure, and the pool,", 2),
		},
	}, nil
}
