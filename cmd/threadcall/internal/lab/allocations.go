package main

import (
	"github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"
	"github.com/threadcall/threadcall/internal/bench"
)

// designs are the article's, with what it measured.
var designs = []struct {
	name, about string
	open        func() bench.Design
	ns          float64
	cost        string
}{
	{"naive", "a channel made for each call, a closure", bench.Naive, 448, "120 B in 2"},
	{"pooled", "a channel from a pool, a closure", bench.Pooled, 440, "24 B in 1"},
	{"struct", "a channel from a pool, no closure", bench.Struct, 366, "0 B in 0"},
}

// calls compares the article's designs, served as its benchmark served them and as it meant to,
// with threadcall.
func calls(l *lab) error {
	contenders := []bench.Contender{bench.Direct}
	for _, serve := range []func(bench.Design) func(){bench.OnGoroutine, bench.OnMain} {
		for _, d := range designs {
			contenders = append(contenders, bench.Calling(func() (bench.Subject, func()) {
				s := d.open()
				return s, serve(s)
			}))
		}
	}
	contenders = append(contenders,
		bench.Calling(func() (bench.Subject, func()) { return bench.MainThread, func() {} }))
	if c := bench.Bounded(); c != nil {
		contenders = append(contenders, c)
	}
	s, err := l.measure(0, contenders...)
	if err != nil {
		return err
	}
	direct, unlocked, main, threadcall := s[0], s[1:4], s[4:7], s[7]
	rows := [][]string{{"a call", "the article", "unlocked", "main thread"},
		{"a plain call", duration(0.95), direct.in(duration), ""}}
	for i, d := range designs {
		rows = append(rows, []string{"**" + d.name + "**: " + d.about, duration(d.ns),
			unlocked[i].in(duration), main[i].in(duration)})
	}
	rows = append(rows, []string{"**threadcall**, the struct design takes " +
		main[2].over(threadcall).in(number) + " times that", "", "",
		threadcall.in(duration)})
	for i := range s[8:] {
		rows = append(rows, []string{"the lower bound", "", "", s[8+i].in(duration)})
	}
	l.table(rows...)
	return nil
}

// allocations counts what a call takes from the heap.
func allocations(l *lab) error {
	rows := [][]string{{"", "the article", "here"}}
	for _, d := range designs {
		s := d.open()
		end := bench.OnGoroutine(s)
		rows = append(rows, []string{"**" + d.name + "**: " + d.about, d.cost,
			cost(func() { s.Call(func() {}) })})
		end()
	}
	compiler, err := l.compile("-m")
	if err != nil {
		return err
	}
	l.table(append(rows,
		[]string{"**threadcall**", "", cost(func() { bench.MainThread.Call(func() {}) })},
		[]string{"a channel", "96 B in 1", cost(subject.Channel)},
		[]string{"a function literal that is sent on a channel", "24 B in 1",
			cost(func() { subject.Send(func() {}) })},
		[]string{"one that is only called", "24 B in 1",
			cost(func() { subject.InPlace(func() {}) })},
		[]string{"`-m` about the one that is sent", "`can inline`, `leaking param`, `escapes to heap`",
			compiler["Send"]})...)
	return nil
}
