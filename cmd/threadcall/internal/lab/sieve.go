package main

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
)

// sieveArticle has the seconds that the article measured, by GOMAXPROCS.
var sieveArticle = []struct {
	procs      int
	go10, go11 float64 // with Go 1.0.3 and Go 1.1.2
}{{1, 19.2, 18.7}, {2, 19.3, 8.26}, {4, 20.4, 3.30}, {8, 20.4, 2.64}}

// here is the prefix of this package's functions in traces: package main, unless it is a test.
var here = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	end := strings.LastIndex(name, "/") + 1
	return name[:end+strings.Index(name[end:], ".")+1]
}()

// sieve asks whether threads help a program all of whose goroutines talk to each other, and how
// often they move.
func sieve(l *lab) error {
	perMessage := 1e9 / 46_324_069.          // if the article's sieve went up to 100,000
	limit, traced := l.n(20_000), l.n(4_000) // where it is timed, and where it is traced
	_, all := runSieve(limit)
	_, tracedMessages := runSieve(traced)
	var contenders []bench.Contender
	for _, a := range sieveArticle {
		contenders = append(contenders, func() (func(int) time.Duration, func()) {
			before := runtime.GOMAXPROCS(a.procs)
			run, _ := bench.Timed(func(n int) { runSieve(n) })()
			return run, func() { runtime.GOMAXPROCS(before) }
		})
	}
	s, err := l.measure(limit, contenders...)
	if err != nil {
		return err
	}
	rows := [][]string{{"GOMAXPROCS", "Go 1.0.3, all", "Go 1.1.2, all", "Go 1.1.2, a message",
		"here, a message", "executions a message",
		"moves a goroutine", "moved"}}
	for i, a := range sieveArticle {
		traces, err := l.trace(a.procs, true, func() { runSieve(traced) })
		if err != nil {
			return err
		}
		var executions, moves, moved series
		for _, t := range traces {
			f := function(t.Report, here+"filter")
			executions = append(executions, float64(f.Executions)/float64(tracedMessages))
			moves = append(moves, float64(f.Moves)/float64(f.Goroutines))
			moved = append(moved, float64(f.Moves)/float64(f.Executions))
		}
		// From a time of each number up to the limit.
		message := s[i].times(float64(limit) / float64(all))
		rows = append(rows, []string{fmt.Sprint(a.procs), duration(a.go10 * 1e9), duration(a.go11 * 1e9),
			duration(a.go11 * perMessage),
			message.in(duration), executions.in(number), moves.in(number), moved.in(percents)})
	}
	l.table(rows...)
	return nil
}

// runSieve finds the primes up to limit with a chain of goroutines, one for each prime that was
// found. Each lets through what its prime does not divide. All numbers that are sent are messages.
func runSieve(limit int) (primes int, messages int64) {
	var sent atomic.Int64
	numbers := make(chan int)
	go count(numbers, limit, &sent)
	for {
		prime, more := <-numbers
		if !more {
			return primes, sent.Load()
		}
		primes++
		rest := make(chan int)
		go filter(numbers, rest, prime, &sent)
		numbers = rest
	}
}

func count(to chan<- int, limit int, sent *atomic.Int64) {
	defer close(to)
	for n := 2; n <= limit; n++ {
		to <- n
	}
	sent.Add(int64(limit - 1))
}

func filter(from <-chan int, to chan<- int, prime int, sent *atomic.Int64) {
	defer close(to)
	n := int64(0)
	for x := range from {
		if x%prime != 0 {
			to <- x
			n++
		}
	}
	sent.Add(n)
}
