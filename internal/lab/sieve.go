package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
	"github.com/threadcall/threadcall/internal/lab/work"
)

// A sieveSetting is a value of GOMAXPROCS with the seconds that the article measured with two versions of Go.
type sieveSetting struct {
	procs    int
	go10     float64 // with Go 1.0.3
	go11     float64 // with Go 1.1.2
	article  float64 // nanoseconds a message, if the article's sieve went to articleLimit
	moves    float64 // a goroutine
	again    float64 // the share of executions that were on another thread than the one before
	switches float64 // executions a message
}

// articleLimit is how far the article's sieve must have gone, see about.
const articleLimit = 100_000

// A sieveResult has the time for each message and what traces say, by setting.
type sieveResult struct {
	limit, tracedLimit int
	messages           int
	settings           []sieveSetting
	series             []measure.Series // nanoseconds a message
	via                []string
}

// measureSieve asks whether threads help a program all of whose goroutines talk to each other, and how often they move.
func measureSieve(l *lab) (r sieveResult, err error) {
	r = sieveResult{
		limit: l.sieve, tracedLimit: l.sieveIn, messages: work.Messages(l.sieve),
		settings: []sieveSetting{
			{procs: 1, go10: 19.2, go11: 18.7}, {procs: 2, go10: 19.3, go11: 8.26},
			{procs: 4, go10: 20.4, go11: 3.30}, {procs: 8, go10: 20.4, go11: 2.64},
		},
	}
	var contenders []measure.Contender
	for i := range r.settings {
		s := &r.settings[i]
		s.article = s.go11 * 1e9 / float64(work.Messages(articleLimit))
		contenders = append(contenders, measure.Contender{Name: fmt.Sprintf("GOMAXPROCS=%d", s.procs), Open: func() (func(int) time.Duration, func()) {
			before := runtime.GOMAXPROCS(s.procs)
			return measure.Timed(func(n int) { work.Sieve(n) }), func() { runtime.GOMAXPROCS(before) }
		}})
	}
	r.series, err = l.roundsOf(r.limit, contenders)
	if err != nil {
		return r, err
	}
	for _, s := range r.series {
		for i := range s.Values {
			s.Values[i] *= float64(r.limit) / float64(r.messages) // it was measured as a time for each number up to the limit
		}
	}
	l.progress.enter("The prime sieve, traced")
	for i := range r.settings {
		s := &r.settings[i]
		report, err := l.tracer.report(work.Job{Name: "sieve", N: l.sieveIn, Procs: s.procs, Late: true})
		if err != nil {
			return r, err
		}
		f := report.function("filter")
		if f.Goroutines == 0 {
			return r, fmt.Errorf("the trace with GOMAXPROCS=%d has no goroutine of the sieve", s.procs)
		}
		s.moves = float64(f.Moves) / float64(f.Goroutines)
		s.again = float64(f.Moves) / float64(f.Executions)
		s.switches = float64(f.Executions) / float64(work.Messages(l.sieveIn))
		var via []string
		for _, v := range report.Affinity.Via {
			if v.N > 0 {
				via = append(via, fmt.Sprintf("%s %s", paper.Whole(v.N), v.Name))
			}
		}
		r.via = append(r.via, strings.Join(via, ", "))
		l.progress.step(i+1, len(r.settings))
	}
	return r, nil
}

func (r sieveResult) about() string {
	all := float64(work.Messages(articleLimit))
	return paper.Wrap(fmt.Sprintf("A chain of goroutines, one for each prime found so far, each of which passes on the numbers that its prime does not divide. "+
		"%s says that it takes the first hundred thousand primes. That is more than 5,000,000,000 messages between goroutines, of which each would have taken "+
		"3.7 ns with Go 1.1.2 on one P, and cannot be. The primes up to 100,000 take %s, each of %.0f ns, which is what is assumed here. This sieve goes up "+
		"to %s, %s messages; traced, which takes more time, up to %s. *Moved* is the share of executions that were on another thread than the goroutine's execution before; a trace is kept in memory while it is "+
		"taken, because a file would make threads change hands.",
		affinity, paper.Whole(all), r.settings[0].article, paper.Whole(r.limit), paper.Whole(r.messages), paper.Whole(r.tracedLimit)))
}

func (r sieveResult) table() string {
	var rows [][]string
	for i, s := range r.settings {
		rows = append(rows, []string{
			fmt.Sprint(s.procs), paper.Time(s.go10 * 1e9), paper.Time(s.go11 * 1e9), paper.Time(s.article),
			paper.Spread(r.series[i].Median()), paper.Three(s.switches), paper.Three(s.moves), paper.Percent(s.again), r.via[i],
		})
	}
	return paper.Table([]string{"GOMAXPROCS", "Go 1.0.3, all", "Go 1.1.2, all", "Go 1.1.2, a message", "here, a message", "executions a message",
		"moves a goroutine", "moved", "how they came to the other thread"}, rows)
}

func (r sieveResult) picture() picture.Picture {
	times := picture.Panel{Title: "nanoseconds a message"}
	moves := picture.Panel{Title: "moves a goroutine, in a trace"}
	for i, s := range r.settings {
		name := r.series[i].Name
		times.Rows = append(times.Rows, picture.Row{Name: name, Series: r.series[i], Article: s.article})
		moves.Rows = append(moves.Rows, picture.Row{Name: name, Group: 1, Series: measure.Series{Values: []float64{s.moves}}})
	}
	if !r.moved() {
		return picture.Picture{Title: "The prime sieve", Panels: []picture.Panel{times}}
	}
	return picture.Picture{Title: "The prime sieve", Panels: []picture.Panel{times, moves}}
}

func (r sieveResult) moved() bool {
	for _, s := range r.settings {
		if s.moves > 0 {
			return true
		}
	}
	return false
}

func (r sieveResult) claims() []paper.Claim {
	claims := []paper.Claim{{
		Says: "with Go 1.0, more Ps do not make it faster: 19.2 s with one, 20.4 s with eight", Here: "—", Verdict: paper.NotComparable,
		Why: "it is about a scheduler that Go has not had since 2013",
	}}
	for i, s := range r.settings {
		if s.procs == 1 {
			continue
		}
		ratio := r.series[i].Over(r.series[0])
		c := paper.Claim{
			Says:    fmt.Sprintf("with Go 1.1, %d Ps need %.2f of the time of one", s.procs, s.go11/r.settings[0].go11),
			Here:    paper.Ratio(ratio),
			Verdict: paper.Less(ratio, 1),
		}
		switch {
		case c.Verdict == paper.Reproduced && s.procs > runtime.NumCPU():
			c.Why = fmt.Sprintf("in that it is faster, though there are only %d cores here", runtime.NumCPU())
		case s.procs > runtime.NumCPU():
			c.Verdict = paper.NotComparable
			c.Why = fmt.Sprintf("there are %d cores here", runtime.NumCPU())
		case c.Verdict == paper.Reproduced && ratio.Above(1.2*s.go11/r.settings[0].go11):
			c.Why = "in that it is faster, but by less"
		case c.Verdict == paper.Reproduced:
			c.Why = "in that it is faster"
		}
		claims = append(claims, c)
	}
	return append(claims, r.keeps())
}

// keeps judges that goroutines stay on their threads.
func (r sieveResult) keeps() paper.Claim {
	c := paper.Claim{Says: "goroutines that talk to each other keep their thread, unless they are stolen or in a system call", Verdict: paper.Reproduced}
	var shares []string
	for _, s := range r.settings {
		if s.procs == 1 {
			continue
		}
		shares = append(shares, fmt.Sprintf("%s with %d Ps", paper.Percent(s.again), s.procs))
		if s.again >= 0.5 {
			c.Verdict = paper.NotReproduced
		}
	}
	c.Here = "moved: " + strings.Join(shares, ", ")
	if c.Verdict == paper.Reproduced {
		c.Why = "less than half of the executions are after a move"
	} else {
		c.Why = "half of the executions or more are after a move"
	}
	return c
}

func (r sieveResult) conclusion() string {
	var s []string
	say := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	one := r.series[0].Median().Centre
	switch {
	case one < r.settings[0].article:
		say("On one P a message takes %s, %s times less than in the article.", paper.Time(one), paper.Three(r.settings[0].article/one))
	default:
		say("On one P a message takes %s, which is not less than in the article.", paper.Time(one))
	}
	two := r.series[1].Over(r.series[0])
	switch {
	case two.Below(1):
		say("A second P saves %s of that; the article's saved %.0f %%.", strings.TrimSuffix(paper.Change(two.Centre), " less"), 100*(1-r.settings[1].go11/r.settings[0].go11))
	case two.Above(1):
		say("A second P makes it slower, %s times as long: a goroutine that is woken on another thread costs more than the work that it does there saves.", paper.Ratio(two))
	default:
		say("Whether a second P helps, this run cannot tell (%s of the time of one).", paper.Ratio(two))
	}
	say("With one P a goroutine moved %s times, with two %s.", paper.Three(r.settings[0].moves), paper.Three(r.settings[1].moves))
	most := 0
	for i := range r.settings {
		if r.settings[i].moves > r.settings[most].moves {
			most = i
		}
	}
	if cores := runtime.NumCPU(); most > 1 && r.settings[most].procs > cores {
		say("It moved most with %d Ps, %s times, which is more Ps than there are cores (%d).", r.settings[most].procs, paper.Three(r.settings[most].moves), cores)
	}
	return paper.Wrap(strings.Join(s, " "))
}
