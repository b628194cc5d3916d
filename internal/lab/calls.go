package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
	"github.com/threadcall/threadcall/mainthread"
)

// A design is one of the article's, with what the article measured.
type design struct {
	name   string
	about  string
	open   func() bench.Design
	ns     float64
	bytes  float64
	allocs float64
}

var designs = []design{
	{"naive", "a channel made for each call, a closure", bench.Naive, 448, 120, 2},
	{"pooled", "a channel from a pool, a closure", bench.Pooled, 440, 24, 1},
	{"struct", "a channel from a pool, no closure", bench.Struct, 366, 0, 0},
}

const articleDirect = 0.95 // ns, a plain call

// nop is what is called: a call's cost is all that is measured.
func nop() {}

// hot measures one goroutine that calls in a closed loop.
func hot(s bench.Subject) func(n int) time.Duration {
	return func(n int) time.Duration {
		r := bench.Hot(s, bench.Extent{N: n})
		return time.Duration(r.Time * float64(r.Ops))
	}
}

// unlocked is a design that the scheduler may serve on any thread.
func unlocked(d design) measure.Contender {
	return measure.Contender{Name: d.name + ", unlocked", Open: func() (func(int) time.Duration, func()) {
		s := d.open()
		end := bench.OnGoroutine(s)
		return hot(s), end
	}}
}

// onMain is a design that the main thread serves.
func onMain(d design) measure.Contender {
	return measure.Contender{Name: d.name + ", main thread", Open: func() (func(int) time.Duration, func()) {
		s := d.open()
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			mainthread.Call(func() { s.Serve(stop) })
		}()
		s.Call(nop) // it serves
		return hot(s), func() {
			close(stop)
			<-stopped
		}
	}}
}

type mainThread struct{}

func (mainThread) Call(f func()) bool { return mainthread.Call(f) }
func (mainThread) Go(f func()) bool   { return mainthread.Go(f) }

// A callsResult has the series of each way, nil for the floor where two threads cannot run at once.
type callsResult struct {
	direct, floor, threadcall *measure.Series
	unlocked, main            [3]*measure.Series // by design
}

// measureCalls compares the article's designs, served as its benchmark served them and as it meant to, with threadcall.
func measureCalls(l *lab) (r callsResult, err error) {
	var contenders []measure.Contender
	var places []**measure.Series
	add := func(place **measure.Series, c measure.Contender) {
		contenders, places = append(contenders, c), append(places, place)
	}
	add(&r.direct, measure.Contender{Name: "a plain call", Open: func() (func(int) time.Duration, func()) {
		return func(n int) time.Duration {
			m := bench.Indirect(bench.Extent{N: n})
			return time.Duration(m.Time * float64(m.Ops))
		}, func() {}
	}})
	for i, d := range designs {
		add(&r.unlocked[i], unlocked(d))
	}
	for i, d := range designs {
		add(&r.main[i], onMain(d))
	}
	add(&r.threadcall, measure.Contender{Name: "threadcall, main thread", Open: func() (func(int) time.Duration, func()) {
		return hot(mainThread{}), func() {}
	}})
	if _, ok := bench.Bound(bench.Extent{N: 1}); ok {
		add(&r.floor, measure.Contender{Name: "the floor", Open: func() (func(int) time.Duration, func()) {
			return func(n int) time.Duration {
				m, _ := bench.Bound(bench.Extent{N: n})
				return time.Duration(m.Time * float64(m.Ops))
			}, func() {}
		}})
	}
	series, err := l.rounds(contenders)
	for i := range series {
		*places[i] = &series[i]
	}
	return r, err
}

func (r callsResult) about() string {
	return paper.Wrap("A goroutine calls an empty function in a closed loop. *Unlocked* is what the article's benchmark measured: it " +
		"starts the serving loop on the goroutine that testing runs the benchmark on, and not on the main goroutine, so that nothing is " +
		"locked to a thread and a call is a hand-over between goroutines. *Main thread* is the same design with the loop on the main " +
		"thread. *The floor* is two threads that hand one atomic word to and fro, below which no call between threads can be. The " +
		"first two designs send on a channel without a buffer here, where the article's has as many places as there are Ps; in a closed loop " +
		"the receiver waits either way.")
}

func (r callsResult) table() string {
	rows := [][]string{{"a plain call", paper.Time(articleDirect), paper.Spread(r.direct.Median()), ""}}
	for i, d := range designs {
		rows = append(rows, []string{"**" + d.name + "**: " + d.about, paper.Time(d.ns),
			paper.Spread(r.unlocked[i].Median()), paper.Spread(r.main[i].Median())})
	}
	rows = append(rows, []string{"**threadcall**", "", "", paper.Spread(r.threadcall.Median())})
	if r.floor != nil {
		rows = append(rows, []string{"the floor", "", "", paper.Spread(r.floor.Median())})
	}
	return paper.Table([]string{"a call", "the article", "unlocked", "main thread"}, rows)
}

func (r callsResult) picture() picture.Picture {
	rows := []picture.Row{{Name: "a plain call", Group: 2, Series: *r.direct, Article: articleDirect}}
	for i, d := range designs {
		rows = append(rows, picture.Row{Name: r.unlocked[i].Name, Series: *r.unlocked[i], Article: d.ns})
	}
	for i := range designs {
		rows = append(rows, picture.Row{Name: r.main[i].Name, Group: 1, Series: *r.main[i]})
	}
	rows = append(rows, picture.Row{Name: r.threadcall.Name, Group: 3, Series: *r.threadcall})
	if r.floor != nil {
		rows = append(rows, picture.Row{Name: "the floor", Group: 2, Series: *r.floor})
	}
	return picture.Picture{Title: "A call", Panels: []picture.Panel{{Title: "nanoseconds a call", Rows: rows}}}
}

func (r callsResult) claims() []paper.Claim {
	direct := r.direct.Median()
	last, main := r.unlocked[2].Median(), r.main[2].Median()
	factor := r.main[2].Over(*r.unlocked[2])
	onThread := paper.Claim{
		Says:    "a call of the main thread costs 366 ns",
		Here:    paper.Time(main.Centre) + "; unlocked " + paper.Time(last.Centre),
		Verdict: paper.Near(main.Centre, 366),
	}
	if onThread.Verdict == paper.NotReproduced && paper.Near(last.Centre, 366) == paper.Reproduced {
		onThread.Why = "the article's number is that of the unlocked loop"
	}
	if factor.Above(1) {
		onThread.Why = strings.TrimPrefix(onThread.Why+fmt.Sprintf("; the thread makes it %s times as long", paper.Ratio(factor)), "; ")
	}
	plain := paper.Claim{Says: "a plain call costs 0.95 ns", Here: paper.Time(direct.Centre), Verdict: paper.Near(direct.Centre, articleDirect)}
	if plain.Verdict == paper.NotReproduced {
		plain.Why = "the processor is another"
	}
	return []paper.Claim{
		plain,
		onThread,
		r.saves("a channel from a pool", 1),
		r.saves("a struct instead of the closure, and the pool,", 2),
	}
}

// saves judges what the article says that a design saves of the first one's time.
func (r callsResult) saves(what string, design int) paper.Claim {
	unlocked, main := r.unlocked[design].Over(*r.unlocked[0]), r.main[design].Over(*r.main[0])
	c := paper.Claim{
		Says:    fmt.Sprintf("%s saves %.1f %% of the time", what, 100*(1-designs[design].ns/designs[0].ns)),
		Here:    fmt.Sprintf("of the naive design's time, unlocked %s, on the main thread %s", paper.Ratio(unlocked), paper.Ratio(main)),
		Verdict: paper.Less(unlocked, 1),
	}
	if said := designs[design].ns / designs[0].ns; c.Verdict == paper.Reproduced && !unlocked.Holds(said) {
		c.Why = "in that it saves some, " + strings.TrimSuffix(paper.Change(unlocked.Centre), " less") + " unlocked"
	}
	if onMain := paper.Less(main, 1); onMain != c.Verdict {
		c.Why = strings.TrimPrefix(c.Why+"; on the main thread, "+string(onMain), "; ")
	}
	return c
}

// conclusion says what the numbers say.
func (r callsResult) conclusion() string {
	var s []string
	say := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	thread, unlocked := r.main[2].Median(), r.unlocked[2].Median()
	switch factor := r.main[2].Over(*r.unlocked[2]); {
	case factor.Above(2):
		say("The article's last design takes %s times as long on the main thread as unlocked: %s instead of %s. Each call then puts "+
			"two threads to sleep and wakes them.",
			paper.Ratio(factor), paper.Time(thread.Centre), paper.Time(unlocked.Centre))
	case factor.Above(1):
		say("The article's last design takes longer on the main thread than unlocked, %s times as long.", paper.Ratio(factor))
	default:
		say("On this machine this run cannot tell the article's last design on the main thread from the same unlocked (%s times as long).", paper.Ratio(factor))
	}
	say("%s", r.allocationEffect())
	threadcall := r.main[2].Over(*r.threadcall)
	switch {
	case threadcall.Above(1):
		say("A call of threadcall takes %s, the article's last design on the same thread %s times that.", paper.Time(r.threadcall.Median().Centre), paper.Ratio(threadcall))
	case threadcall.Below(1):
		say("A call of threadcall takes %s here and is slower than the article's last design on the same thread, which takes %s of it.",
			paper.Time(r.threadcall.Median().Centre), paper.Ratio(threadcall))
	default:
		say("This run cannot tell a call of threadcall, %s, from the article's last design on the same thread.", paper.Time(r.threadcall.Median().Centre))
	}
	if r.floor != nil {
		over := r.threadcall.Over(*r.floor)
		switch {
		case over.Above(1):
			say("That is %s floors.", paper.Ratio(over))
		case over.Below(1):
			say("That is less than the floor (%s of it): two threads that only spin suffer more from whatever else wants their cores.", paper.Ratio(over))
		default:
			say("From the floor this run cannot tell it (%s).", paper.Ratio(over))
		}
	}
	return paper.Wrap(strings.Join(s, " "))
}

// allocationEffect says what not allocating is worth on the main thread.
func (r callsResult) allocationEffect() string {
	saved := r.main[2].Over(*r.main[0])
	switch {
	case saved.Below(1):
		return fmt.Sprintf("What is allocated matters there, too: without allocations it takes %s of the time of the first design.", paper.Ratio(saved))
	case saved.Above(1):
		return fmt.Sprintf("There, the design without allocations is even slower than the first, %s times.", paper.Ratio(saved))
	default:
		return fmt.Sprintf("What is allocated makes no difference there that this run could see (%s of the time of the first design).", paper.Ratio(saved))
	}
}
