package main

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// keeping asks what takes goroutines from their thread, and which goroutine runs next.
func keeping(l *lab) (section, error) {
	waits := []struct{ name, job string }{{"in `time.Sleep`", "sleeps"}, {"in a system call", "syscalls"}}
	var jobs []job
	for _, w := range waits {
		jobs = append(jobs, job{Name: w.job, N: l.waits, Procs: 1, Late: true})
	}
	all, err := l.traces(jobs...)
	if err != nil {
		return section{}, err
	}
	var rows [][]string
	var moved [2]estimate
	for i, t := range all {
		of := func(number func(traced) float64) estimate {
			return each(t, number).median().times(1 / float64(l.waits))
		}
		moved[i] = of(func(t traced) float64 { return float64(t.Affinity.Moves) })
		rows = append(rows, []string{waits[i].name, moved[i].in(number),
			of(func(t traced) float64 { return counted(t.Affinity.Why, "syscall") }).in(number),
			of(func(t traced) float64 { return counted(t.Affinity.Via, "stolen") }).in(number),
			each(t, func(t traced) float64 { return float64(t.Affinity.Executions) }).median().in(number),
			each(t, func(t traced) float64 { return float64(t.Table.Threads) }).median().in(number)})
	}
	var ahead [2]series // goroutines that ran before the one that was notified
	for range l.rounds {
		for i, others := range []bool{false, true} {
			var counts series
			for range l.notified {
				counts = append(counts, float64(runNext(others)))
			}
			ahead[i] = append(ahead[i], counts.median().centre)
		}
		l.load.lap()
	}
	return section{
		about: "With GOMAXPROCS=1, so that there is no P to steal from, two goroutines hand a message to and fro, while a third waits " + whole(l.waits) +
			" times for a millisecond: in `time.Sleep`, or in a system call, which blocks its thread. Moves are those of all goroutines, in " + strconv.Itoa(leastRounds) +
			" traces of each. For the order of goroutines, three that are ready are in the queue of the only P when a " +
			"fourth is notified on a channel, on which " +
			"it was blocked; once more with a fifth that is notified right after it, and takes its place. Before Go 1.5, a goroutine was put behind the three.",
		tables: []string{
			table([]string{"the third goroutine waits", "moves for each wait", "after a system call", "stolen", "executions", "threads"}, rows),
			table([]string{"a goroutine that is notified on a channel", "ready goroutines that ran before it, of 3"}, [][]string{
				{"alone", ahead[0].median().in(number)}, {"then another is notified", ahead[1].median().in(number)}}),
		},
		claims: []claim{
			{says: "a system call moves goroutines to another thread: moves for each, more than for each sleep", claimed: more(moved[0].high), direction: true,
				found: moved[1], unit: number},
			{says: "goroutines that use channels keep their thread where nothing steals them and no system call blocks: moves for each sleep, less than one",
				claimed: less(1), direction: true, found: moved[0], unit: number},
			{says: "since Go 1.5, a goroutine that comes back from a channel runs next: goroutines before it", claimed: is(0), found: ahead[0].median(), unit: number},
			{says: "so it runs before those that were ready earlier: goroutines before it", claimed: less(3), direction: true, found: ahead[0].median(), unit: number},
		},
	}, nil
}

// exchange has two goroutines that hand a message to and fro while the calling one waits n times.
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
			runtime.Gosched() // two goroutines that only notify each other share a time slice, which excludes the third
		}
	}()
	for range n {
		wait(time.Millisecond)
	}
	stop.Store(true)
	<-done
}

// runNext notifies a goroutine that is blocked on a channel, when three are ready, and returns how many of them run
// before it. It may notify another goroutine after it.
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

// via writes how goroutines came to their threads.
func via(t traced) string {
	var list []string
	for _, v := range t.Affinity.Via {
		if v.N > 0 {
			list = append(list, fmt.Sprintf("%s %s", ui.Count(v.N), v.Name))
		}
	}
	return strings.Join(list, ", ")
}
