package main

import (
	"fmt"

	"github.com/threadcall/threadcall/internal/bench"
)

// designs are the article's, with what it measured.
var designs = []struct {
	name, about   string
	open          func() bench.Design
	ns, percent   float64 // with the deviation
	bytes, allocs float64
}{
	{"naive", "a channel made for each call, a closure", bench.Naive, 448, 0, 120, 2},
	{"pooled", "a channel from a pool, a closure", bench.Pooled, 440, 0, 24, 1},
	{"struct", "a channel from a pool, no closure", bench.Struct, 366, 1, 0, 0},
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
	articleDirect := percent(0.95, 1) // ns
	direct, unlocked, main, threadcall := s[0], s[1:4], s[4:7], s[7]
	rows := [][]string{{"a plain call", duration(0.95), direct.median().time(), ""}}
	claims := []claim{{says: "a plain call takes 0.95 ns ± 1 %", claimed: articleDirect, found: direct.median(), unit: duration}}
	for i, d := range designs {
		rows = append(rows, []string{"**" + d.name + "**: " + d.about, duration(d.ns), unlocked[i].median().time(), main[i].median().time()})
		claims = append(claims, claim{says: fmt.Sprintf("a call of the main thread, %s, takes %.0f ns ± %.0f %%", d.name, d.ns, d.percent),
			claimed: percent(d.ns, d.percent), found: main[i].median(), unit: duration})
	}
	rows = append(rows, []string{"**threadcall**, the struct design takes " + main[2].over(threadcall).String() + " times that", "", "", threadcall.median().time()})
	if len(s) > 8 {
		rows = append(rows, []string{"the lower bound", "", "", s[8].median().time()})
	}
	for i, saves := range []string{1: "a channel from a pool saves 1.83 % of the time", 2: "a struct instead of the closure, and the pool, saves 18.17 %"} {
		if saves == "" {
			continue
		}
		claimed := percent(designs[i].ns, designs[i].percent).over(percent(designs[0].ns, designs[0].percent)).saved()
		for _, w := range []struct {
			where  string
			series []series
		}{{"unlocked, as its benchmark measured", unlocked}, {"on the main thread", main}} {
			saved := w.series[i].over(w.series[0]).saved()
			claims = append(claims,
				claim{says: saves + ", " + w.where, claimed: claimed, found: saved, unit: percents},
				claim{says: "that is faster, " + w.where, claimed: more(0), direction: true, found: saved, unit: percents})
		}
	}
	return section{
		about: "A goroutine calls an empty function in a closed loop. *Unlocked* is what the article's benchmark measured: it starts the serving loop on " +
			"the goroutine of the benchmark, which is locked to no thread. *Main thread* is the same design with the loop on the main thread. *The lower " +
			"bound* is two threads that hand one atomic word to and fro.",
		tables: []string{table([]string{"a call", "the article", "unlocked", "main thread"}, rows)},
		claims: claims,
	}, nil
}
