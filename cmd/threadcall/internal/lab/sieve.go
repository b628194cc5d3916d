package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/internal/bench"
)

// sieveArticle has the seconds that the article measured, by GOMAXPROCS.
var sieveArticle = []struct {
	procs      int
	go10, go11 float64 // with Go 1.0.3 and Go 1.1.2
}{{1, 19.2, 18.7}, {2, 19.3, 8.26}, {4, 20.4, 3.30}, {8, 20.4, 2.64}}

// sieveProfiles has the shares of samples of the article's CPU profiles, of 8,679 and 630 samples.
var sieveProfiles = []struct {
	name       string
	functions  []string // today's
	go10, go11 float64  // samples; zero if the article does not have them
}{
	{"the goroutines of the primes", []string{local("filter")}, 5924, 610},
	{"chanrecv", []string{"runtime.chanrecv"}, 1590, 265},
	{"chansend", []string{"runtime.chansend"}, 3933, 206},
	{"lock", []string{"runtime.lock", "runtime.lock2"}, 5005, 141},
	{"runqput", []string{"runtime.runqput"}, 0, 98},
}

const go10Samples, go11Samples = 8679, 630

// sieve asks whether threads help a program all of whose goroutines talk to each other, and how often they move.
func sieve(l *lab) (section, error) {
	const articleLimit = 100_000 // how far the article's sieve must have gone
	perMessage := 1e9 / float64(messagesOf(articleLimit))
	var contenders []bench.Contender
	var jobs []job
	for _, a := range sieveArticle {
		c := bench.Timed("", func(n int) { runSieve(n) })
		open := c.Open
		c.Open = func() (func(int) time.Duration, func()) {
			before := runtime.GOMAXPROCS(a.procs)
			run, _ := open()
			return run, func() { runtime.GOMAXPROCS(before) }
		}
		contenders = append(contenders, c)
		jobs = append(jobs, job{Name: "sieve", N: l.sieveIn, Procs: a.procs, Late: true})
	}
	s, err := l.measure(l.sieve, contenders...)
	if err != nil {
		return section{}, err
	}
	traces, err := l.traces(jobs...)
	if err != nil {
		return section{}, err
	}
	var claims, keep []claim
	var rows [][]string
	one := percent(sieveArticle[0].go11, 0)
	for i, a := range sieveArticle {
		for round := range s[i] {
			s[i][round] *= float64(l.sieve) / float64(messagesOf(l.sieve)) // it was measured as a time of each number up to the limit
		}
		filters := func(number func(report.Function) float64) estimate {
			return each(traces[i], func(t traced) float64 { return number(function(t.Report, "filter")) }).median()
		}
		executions := filters(func(f report.Function) float64 { return float64(f.Executions) / float64(messagesOf(l.sieveIn)) })
		moves := filters(func(f report.Function) float64 { return float64(f.Moves) / float64(f.Goroutines) })
		moved := filters(func(f report.Function) float64 { return float64(f.Moves) / float64(f.Executions) })
		rows = append(rows, []string{fmt.Sprint(a.procs), duration(a.go10 * 1e9), duration(a.go11 * 1e9), duration(a.go11 * perMessage), s[i].median().time(),
			number(executions.centre), number(moves.centre), moved.in(percents), via(traces[i][0])})
		if a.procs == 1 {
			continue
		}
		ratio := s[i].over(s[0])
		claims = append(claims,
			claim{says: fmt.Sprintf("with Go 1.1, %d Ps need %.2f of the time of one", a.procs, a.go11/sieveArticle[0].go11),
				claimed: percent(a.go11, 0).over(one), found: ratio, unit: asTimes, cpus: a.procs},
			claim{says: fmt.Sprintf("with %d Ps it is faster than with one", a.procs), claimed: less(1), direction: true, found: ratio, unit: asTimes, cpus: a.procs})
		keep = append(keep, claim{says: fmt.Sprintf("with local queues, goroutines run on their thread again: moved with %d Ps, less than the %s of a queue in common",
			a.procs, percents(1-1/float64(a.procs))), claimed: less(1 - 1/float64(a.procs)), direction: true, found: moved, unit: percents, cpus: a.procs})
	}
	p, err := l.profile(job{Name: "sieve", N: l.sieveIn, Procs: runtime.NumCPU(), Lasting: l.profiled})
	if err != nil {
		return section{}, err
	}
	samples := total(p, 0)
	var profiled [][]string
	for _, f := range sieveProfiles {
		here := proportion(cumulative(p, 0, f.functions...), samples)
		old, article := "—", proportion(f.go11, go11Samples)
		if f.go10 > 0 {
			old = percents(f.go10 / go10Samples)
		}
		profiled = append(profiled, []string{f.name, old, percents(article.centre), here.in(percents)})
		claims = append(claims, claim{says: "profile of Go 1.1, " + f.name + ": " + percents(article.centre), claimed: article.interval(), found: here, unit: percents})
		if f.name == "lock" {
			claims = append(claims, claim{says: "most of the locking of Go 1.0 has gone from the profile", claimed: less(f.go10 / go10Samples / 2), direction: true,
				found: here, unit: percents})
		}
	}
	packed, err := pack(p)
	if err != nil {
		return section{}, err
	}
	return section{
		about: fmt.Sprintf("A chain of goroutines, one for each prime found so far, each of which passes on the numbers that its prime does not divide. %s times the "+
			"first hundred thousand primes, which would be 3.7 ns for each of more than 5,000,000,000 messages between goroutines, and cannot be; here the "+
			"primes up to 100,000 are assumed, %s messages. This sieve goes up to %s, %s messages; traced %d times, up to %s. *Moved* is the share of executions "+
			"that were on another thread than the goroutine's execution before. What the article measured with Go 1.0.3 and Go 1.1.2 is shown; that Go 1.0 "+
			"does not get faster with more Ps is not judged, because nothing here runs it. The profile is of the sieve with GOMAXPROCS=%d; shares include "+
			"what a function calls.",
			affinity, whole(messagesOf(articleLimit)), whole(l.sieve), whole(messagesOf(l.sieve)), leastRounds, whole(l.sieveIn), runtime.NumCPU()),
		tables: []string{
			table([]string{"GOMAXPROCS", "Go 1.0.3, all", "Go 1.1.2, all", "Go 1.1.2, a message", "here, a message", "executions a message",
				"moves a goroutine", "moved", "how they came to the other thread, in one of the traces"}, rows),
			table([]string{"share of the samples", "Go 1.0.3", "Go 1.1.2", "here, of " + whole(samples)}, profiled),
			picture("The CPU profile of the sieve", "sieve"),
		},
		claims: append(claims, keep...),
		files:  map[string][]byte{"sieve.svg": flame("The sieve", p), "sieve.pprof": packed},
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
