package main

import (
	"runtime"
	"sync/atomic"

	"github.com/threadcall/threadcall/thread"
)

// A tester tells what a filter lets through, and is closed at the end.
type tester func(prime int) (keep func(n int) bool, close func())

func here(prime int) (func(int) bool, func()) {
	return func(n int) bool { return n%prime != 0 }, func() {}
}

// ways are how one filter of a sieve tests its numbers.
var ways = []struct {
	name, text string
	open       tester // on the goroutine of the filter
}{
	{"goroutine", "goroutines alone", here},
	{"locked", "locked filter", func(prime int) (func(int) bool, func()) {
		runtime.LockOSThread()
		keep, _ := here(prime)
		return keep, runtime.UnlockOSThread
	}},
	{"channel", "calls, channel", func(prime int) (func(int) bool, func()) {
		numbers, answers := make(chan int), make(chan bool)
		go func() {
			runtime.LockOSThread()
			for n := range numbers {
				answers <- n%prime != 0
			}
		}()
		return func(n int) bool {
			numbers <- n
			return <-answers
		}, func() { close(numbers) }
	}},
	{"thread", "calls, Thread", func(prime int) (func(int) bool, func()) {
		t := thread.New()
		var number int
		var keeps bool
		test := func() { keeps = number%prime != 0 }
		return func(n int) bool {
			number = n
			t.MustCall(test)
			return keeps
		}, t.Close
	}},
}

// sieve finds the primes up to n with a chain of goroutines, one for each prime that was found.
// Each lets through what its prime does not divide; the filter of special tests with open.
// Handovers counts the numbers that were sent from one goroutine to the next.
func sieve(n, special int, open tester) (primes []int, handovers int64) {
	var sent atomic.Int64
	numbers := make(chan int)
	go count(numbers, n)
	for {
		prime, more := <-numbers
		if !more {
			return primes, sent.Load() + int64(max(0, n-1))
		}
		primes = append(primes, prime)
		test := here
		if prime == special {
			test = open
		}
		rest := make(chan int)
		go filter(numbers, rest, prime, test, &sent)
		numbers = rest
	}
}

func count(to chan<- int, n int) {
	defer close(to)
	for i := 2; i <= n; i++ {
		to <- i
	}
}

func filter(from <-chan int, to chan<- int, prime int, test tester, sent *atomic.Int64) {
	defer close(to)
	keep, end := test(prime)
	defer end()
	handed := int64(0)
	for n := range from {
		if keep(n) {
			to <- n
			handed++
		}
	}
	sent.Add(handed)
}
