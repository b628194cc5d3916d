package main

import (
	"fmt"
	"runtime"

	"github.com/threadcall/threadcall/internal/bench"
)

// pingpong asks what a locked thread costs two goroutines that talk to each other.
func pingpong(l *lab) (section, error) {
	ways := []struct {
		name, job  string
		ping, pong bool
	}{
		{"neither is locked", "pingpong", false, false},
		{"one is locked", "pingpong-one", false, true},
		{"both are locked", "pingpong-both", true, true},
	}
	var contenders []bench.Contender
	for _, w := range ways {
		contenders = append(contenders, bench.Timed("", func(n int) { playPingpong(n, w.ping, w.pong) }))
	}
	s, err := l.measure(0, contenders...)
	if err != nil {
		return section{}, err
	}
	var rows [][]string
	var free float64 // moves a round trip where neither is locked
	for i, w := range ways {
		report, err := l.tracer.report(job{Name: w.job, N: l.pingpongs, Late: true})
		if err != nil {
			return section{}, err
		}
		ping, pong := report.function("work"), report.function("playPingpong")
		executions := float64(ping.Executions+pong.Executions) / float64(l.pingpongs)
		moves := float64(ping.Moves+pong.Moves) / float64(l.pingpongs)
		if executions == 0 {
			return section{}, fmt.Errorf("the trace of %q has neither of the two goroutines", w.name)
		}
		over := ""
		if i == 0 {
			free = moves
		} else {
			over = s[i].over(s[0]).String()
		}
		rows = append(rows, []string{w.name, s[i].median().time(), over, three(executions), three(moves), whole(report.Table.Threads)})
	}
	one := s[1].over(s[0])
	return section{
		about: fmt.Sprintf("Two goroutines hand a number to and fro over two channels without a buffer, locked to a thread or not. None of the articles has a "+
			"number for it. Executions and moves are those of both goroutines in traces of %s round trips.", whole(l.pingpongs)),
		tables: []string{table([]string{"", "a round trip", "of the first", "executions", "moves", "threads in all"}, rows)},
		claims: []claim{
			{"it costs to switch between threads, and too much of it slows a program down (" + affinity + ")", one.String() + " times as long if one has a thread of its own", one.above(1)},
			{"goroutines that hand over to each other stay on one thread (the same)", three(free) + " moves a round trip", holds(free < 0.1)},
		},
	}, nil
}

// playPingpong hands a value to another goroutine and takes it back, n times.
func playPingpong(n int, lockPing, lockPong bool) {
	there, back := make(chan int), make(chan int)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer lock(lockPong)()
		for x := range there {
			back <- x
		}
	}()
	defer func() {
		close(there)
		<-ended
	}()
	defer lock(lockPing)()
	for i := range n {
		there <- i
		<-back
	}
}

func lock(really bool) (unlock func()) {
	if !really {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
