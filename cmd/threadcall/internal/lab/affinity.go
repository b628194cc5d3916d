package main

import (
	"runtime"
	"sync/atomic"
	"time"
)

// keeping asks what takes goroutines from their thread, and which goroutine runs next.
func keeping(l *lab) error {
	waits := l.n(100)
	rows := [][]string{{"the third goroutine waits", "moves for each wait", "after a system call",
		"executions", "threads"}}
	for _, w := range []struct {
		name string
		wait func(time.Duration)
	}{{"in `time.Sleep`", time.Sleep}, {"in a system call", blockThread}} {
		all, err := l.trace(1, true, func() { exchange(waits, w.wait) })
		if err != nil {
			return err
		}
		of := func(number func(traced) float64) series {
			return each(all, number).times(1 / float64(waits))
		}
		rows = append(rows, []string{w.name,
			of(func(t traced) float64 { return float64(t.Affinity.Moves) }).in(number),
			of(func(t traced) float64 { return counted(t.Affinity.Why, "system call") }).in(number),
			each(all, func(t traced) float64 { return float64(t.Affinity.Executions) }).in(number),
			each(all, func(t traced) float64 { return float64(t.Table.Threads) }).in(number)})
	}
	l.table(rows...)
	var ahead [2]series // goroutines that ran before the one that was notified
	for range l.rounds * l.n(100) {
		for i, others := range []bool{false, true} {
			ahead[i] = append(ahead[i], float64(runNext(others)))
		}
	}
	l.table([]string{"a goroutine that is notified on a channel",
		"ready goroutines that ran before it, of 3"},
		[]string{"alone", ahead[0].in(number)}, []string{"then another is notified", ahead[1].in(number)})
	return nil
}

// exchange has two goroutines that pass a message back and forth while the caller waits n times.
func exchange(n int, wait func(time.Duration)) {
	there, back, done := make(chan int), make(chan int), make(chan bool)
	var stop atomic.Bool
	go func() {
		for i := range there {
			back <- i
		}
	}()
	go func() {
		defer close(done)
		defer close(there)
		for !stop.Load() {
			there <- 1
			<-back
			// Two goroutines that only notify each other share a time slice, which excludes the third.
			runtime.Gosched()
		}
	}()
	for range n {
		wait(time.Millisecond)
	}
	stop.Store(true)
	<-done
}

// runNext notifies a goroutine that is blocked on a channel, when three are ready, and returns how
// many of them run before it. It may notify another goroutine after it.
func runNext(another bool) (before int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const ready = 3
	order := make(chan int, ready+2)
	notify := [2]chan bool{make(chan bool), make(chan bool)}
	for i, c := range notify {
		go func() {
			<-c
			order <- -1 - i
		}()
	}
	for range 10 {
		runtime.Gosched() // both block
	}
	for i := range ready {
		go func() { order <- i }()
	}
	start := make(chan bool)
	go func() { close(start) }() // takes the place of the last of them
	notify[0] <- true
	if another {
		notify[1] <- true
	}
	<-start
	for range ready + 1 {
		n := <-order
		if n == -1 {
			break
		}
		if n >= 0 {
			before++
		}
	}
	if !another {
		notify[1] <- true
	}
	return before
}
