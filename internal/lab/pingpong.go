package main

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
	"github.com/threadcall/threadcall/internal/lab/work"
)

// A pingpongWay is which of the two goroutines has a thread for itself.
type pingpongWay struct {
	name       string
	job        string
	ping, pong bool

	executions float64 // of both goroutines, a round trip
	moves      float64 // of both goroutines, a round trip
	threads    uint64
}

// A pingpongResult has the times of a round trip and what traces say.
type pingpongResult struct {
	ways   [3]pingpongWay
	series []measure.Series
	traced int
}

// measurePingpong asks what a locked thread costs two goroutines that talk to each other.
func measurePingpong(l *lab) (r pingpongResult, err error) {
	r.traced = l.pingpongs
	r.ways = [3]pingpongWay{
		{name: "neither is locked", job: "pingpong"},
		{name: "one is locked", job: "pingpong-one", pong: true},
		{name: "both are locked", job: "pingpong-both", ping: true, pong: true},
	}
	var contenders []measure.Contender
	for _, w := range r.ways {
		contenders = append(contenders, measure.Plain(w.name, func(n int) { work.PingPong(n, w.ping, w.pong) }))
	}
	if r.series, err = l.rounds(contenders); err != nil {
		return r, err
	}
	l.progress.enter("Ping-pong, traced")
	for i := range r.ways {
		w := &r.ways[i]
		report, err := l.tracer.report(work.Job{Name: w.job, N: l.pingpongs, Late: true})
		if err != nil {
			return r, err
		}
		for _, name := range []string{"perform", "PingPong"} {
			f := report.function(name)
			w.executions += float64(f.Executions) / float64(l.pingpongs)
			w.moves += float64(f.Moves) / float64(l.pingpongs)
		}
		if w.executions == 0 {
			return r, fmt.Errorf("the trace of %q has neither of the two goroutines", w.name)
		}
		w.threads = report.Table.Threads
		l.progress.step(i+1, len(r.ways))
	}
	return r, nil
}

func (r pingpongResult) about() string {
	return paper.Wrap(fmt.Sprintf("Two goroutines hand a number to and fro over two channels without a buffer. A goroutine that is locked to a thread runs on no other, and "+
		"its thread runs no other goroutine, as that of a main thread that serves calls. None of the articles has a number for it. Executions and moves are those "+
		"of both goroutines in traces of %s round trips.", paper.Whole(r.traced)))
}

func (r pingpongResult) table() string {
	var rows [][]string
	for i, w := range r.ways {
		over := ""
		if i > 0 {
			over = paper.Ratio(r.series[i].Over(r.series[0]))
		}
		rows = append(rows, []string{w.name, paper.Spread(r.series[i].Median()), over, paper.Three(w.executions), paper.Three(w.moves), paper.Whole(w.threads)})
	}
	return paper.Table([]string{"", "a round trip", "of the first", "executions", "moves", "threads in all"}, rows)
}

func (r pingpongResult) picture() picture.Picture {
	p := picture.Panel{Title: "nanoseconds a round trip"}
	for i, s := range r.series {
		p.Rows = append(p.Rows, picture.Row{Name: s.Name, Group: i, Series: s})
	}
	return picture.Picture{Title: "Ping-pong", Panels: []picture.Panel{p}}
}

func (r pingpongResult) claims() []paper.Claim {
	one := r.series[1].Over(r.series[0])
	claims := []paper.Claim{{
		Says:    "it costs to switch between threads, and too much of it slows a program down (" + affinity + ")",
		Here:    fmt.Sprintf("%s times as long if one has a thread of its own", paper.Ratio(one)),
		Verdict: paper.More(one, 1),
	}}
	moved := paper.Claim{
		Says:    "goroutines that hand over to each other stay on one thread (the same)",
		Here:    fmt.Sprintf("%s moves a round trip", paper.Three(r.ways[0].moves)),
		Verdict: paper.Reproduced,
	}
	if r.ways[0].moves >= 0.1 {
		moved.Verdict, moved.Why = paper.NotReproduced, "one round trip in ten, or more, has a move"
	}
	return append(claims, moved)
}

func (r pingpongResult) conclusion() string {
	var s []string
	say := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	free, one, both := r.series[0].Median(), r.series[1].Over(r.series[0]), r.series[2].Over(r.series[1])
	switch {
	case one.Above(2):
		say("As long as neither is locked, a round trip takes %s, two changes from goroutine to goroutine. One thread that belongs to one of them makes that %s: each "+
			"message must now wake a thread that sleeps.", paper.Time(free.Centre), paper.Time(r.series[1].Median().Centre))
	case one.Above(1):
		say("One locked thread makes a round trip longer, from %s to %s.", paper.Time(free.Centre), paper.Time(r.series[1].Median().Centre))
	case one.Below(1):
		say("One locked thread makes a round trip shorter on this machine, %s instead of %s.", paper.Time(r.series[1].Median().Centre), paper.Time(free.Centre))
	default:
		say("This run cannot tell a round trip with one locked thread from one without.")
	}
	switch {
	case both.Above(1):
		say("With both locked it takes %s times what it takes with one: then each change is a change of threads for both.", paper.Ratio(both))
	case both.Below(1):
		say("With both locked it takes less again than with one (%s of it).", paper.Ratio(both))
	default:
		say("Whether one or both are locked makes no difference that this run could see (%s).", paper.Ratio(both))
	}
	if one.Above(1) {
		say("This is what the first section's *main thread* rows pay, whatever they allocate.")
	}
	return paper.Wrap(strings.Join(s, " "))
}
