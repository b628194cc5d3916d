package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/internal/bench"
)

// sieveArticle has the seconds that the article measured, by GOMAXPROCS.
var sieveArticle = []struct {
	procs      int
	go10, go11 float64 // with Go 1.0.3 and Go 1.1.2
}{{1, 19.2, 18.7}, {2, 19.3, 8.26}, {4, 20.4, 3.30}, {8, 20.4, 2.64}}

// sieve asks whether threads help a program all of whose goroutines talk to each other, and how often they move.
func sieve(l *lab) (section, error) {
	const articleLimit = 100_000 // how far the article's sieve must have gone
	perMessage := 1e9 / float64(messagesOf(articleLimit))
	var contenders []bench.Contender
	for _, a := range sieveArticle {
		c := bench.Timed("", func(n int) { runSieve(n) })
		open := c.Open
		c.Open = func() (func(int) time.Duration, func()) {
			before := runtime.GOMAXPROCS(a.procs)
			run, _ := open()
			return run, func() { runtime.GOMAXPROCS(before) }
		}
		contenders = append(contenders, c)
	}
	s, err := l.measure(l.sieve, contenders...)
	if err != nil {
		return section{}, err
	}
	claims := []claim{{"with Go 1.0, more Ps do not make it faster: 19.2 s with one, 20.4 s with eight", "—", notComparable}}
	var rows [][]string
	var shares []string
	most := 0.0 // share of executions after a move
	for i, a := range sieveArticle {
		for round := range s[i] {
			s[i][round] *= float64(l.sieve) / float64(messagesOf(l.sieve)) // it was measured as a time of each number up to the limit
		}
		r, err := job{Name: "sieve", N: l.sieveIn, Procs: a.procs, Late: true}.trace()
		if err != nil {
			return section{}, err
		}
		f := function(r, "filter")
		if f.Goroutines == 0 {
			return section{}, fmt.Errorf("the trace with GOMAXPROCS=%d has no goroutine of the sieve", a.procs)
		}
		var via []string
		for _, v := range r.Affinity.Via {
			if v.N > 0 {
				via = append(via, whole(v.N)+" "+v.Name)
			}
		}
		share := float64(f.Moves) / float64(f.Executions)
		rows = append(rows, []string{fmt.Sprint(a.procs), duration(a.go10 * 1e9), duration(a.go11 * 1e9), duration(a.go11 * perMessage), s[i].median().time(),
			ui.Number(float64(f.Executions) / float64(messagesOf(l.sieveIn))), ui.Number(float64(f.Moves) / float64(f.Goroutines)), ui.Number(100*share) + " %", strings.Join(via, ", ")})
		if a.procs == 1 {
			continue
		}
		most = max(most, share)
		shares = append(shares, fmt.Sprintf("%s %% with %d Ps", ui.Number(100*share), a.procs))
		ratio := s[i].over(s[0])
		v := ratio.below(1)
		if v != reproduced && a.procs > runtime.NumCPU() {
			v = notComparable
		}
		claims = append(claims, claim{fmt.Sprintf("with Go 1.1, %d Ps need %.2f of the time of one", a.procs, a.go11/sieveArticle[0].go11), ratio.String(), v})
	}
	return section{
		about: fmt.Sprintf("A chain of goroutines, one for each prime found so far, each of which passes on the numbers that its prime does not divide. %s times the "+
			"first hundred thousand primes, which would be 3.7 ns for each of more than 5,000,000,000 messages between goroutines, and cannot be; here the "+
			"primes up to 100,000 are assumed, %s messages. This sieve goes up to %s, %s messages; traced, up to %s. *Moved* is the share of executions "+
			"that were on another thread than the goroutine's execution before.",
			affinity, whole(messagesOf(articleLimit)), whole(l.sieve), whole(messagesOf(l.sieve)), whole(l.sieveIn)),
		tables: []string{table([]string{"GOMAXPROCS", "Go 1.0.3, all", "Go 1.1.2, all", "Go 1.1.2, a message", "here, a message", "executions a message",
			"moves a goroutine", "moved", "how they came to the other thread"}, rows)},
		claims: append(claims, claim{"goroutines that talk to each other keep their thread, unless they are stolen or in a system call",
			"moved: " + strings.Join(shares, ", "), holds(most < 0.5)}),
	}, nil
}

// runSieve finds the primes up to limit with a chain of goroutines, one for each prime that was found. Each lets through
// what its prime does not divide.
func runSieve(limit int) (primes int) {
	numbers := make(chan int)
	go count(numbers, limit)
	for {
		prime, more := <-numbers
		if !more {
			return primes
		}
		primes++
		rest := make(chan int)
		go filter(numbers, rest, prime)
		numbers = rest
	}
}

func count(to chan<- int, limit int) {
	defer close(to)
	for n := 2; n <= limit; n++ {
		to <- n
	}
}

func filter(from <-chan int, to chan<- int, prime int) {
	defer close(to)
	for n := range from {
		if n%prime != 0 {
			to <- n
		}
	}
}

// messagesOf returns how many numbers are sent on all of the channels of runSieve(limit) together. A number goes past the
// prime numbers up to its least divisor.
func messagesOf(limit int) (messages int) {
	position := make([]int, limit+1) // of the least divisor among the primes, from one
	primes := 0
	for n := 2; n <= limit; n++ {
		if position[n] == 0 {
			primes++
			for multiple := n; multiple <= limit; multiple += n {
				if position[multiple] == 0 {
					position[multiple] = primes
				}
			}
		}
		messages += position[n]
	}
	return messages
}
