package bench

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/internal/testutil"
)

// A phase is a load that a program has for some time: frames of work and calls, or a closed loop.
type phase struct {
	name           string
	calls          int           // of a frame
	work, function int           // microseconds before each call and in it
	period, pause  time.Duration // from frame to frame; after each; both zero in a closed loop
	first          bool          // only the first call of a frame is timed
	posts          int           // functions handed over by Go before each call
	posting        bool          // each post is timed, after the work, and not the call
	threads        int           // that are called, if not one
	callers        int           // if not one; they share the threads
	computing      int           // goroutines that compute meanwhile
	nested         bool          // the caller is a thread
	pool           bool          // the threads are those of a pool, made for the phase
}

const ms = time.Millisecond

var phases = []phase{
	{name: "frame 16 ms, 50 calls, 10 µs", calls: 50, work: 10, period: 16 * ms},
	{name: "frame 16 ms, 50 calls, 1 µs", calls: 50, work: 1, period: 16 * ms},
	{name: "frame 16 ms, 200 calls, 3 µs", calls: 200, work: 3, period: 16 * ms},
	{name: "frame 16 ms, 10 calls, 5 µs", calls: 10, work: 5, period: 16 * ms},
	{name: "frame 4 ms, 50 calls, 10 µs", calls: 50, work: 10, period: 4 * ms},
	{name: "loop", calls: 8, first: true},
	{name: "loop, 15 µs of work", calls: 8, work: 15},
	{name: "loop, 40 µs of work", calls: 8, work: 40},
	{name: "loop, 50 µs of work", calls: 8, work: 50},
	{name: "loop, function 20 µs", calls: 8, function: 20},
	{name: "loop, function 80 µs", calls: 8, function: 80},
	{name: "loop from a thread", calls: 8, first: true, nested: true},
	{name: "loop, 4 threads in turn", calls: 8, first: true, threads: 4},
	{name: "loop, 4 pairs", calls: 8, first: true, threads: 4, callers: 4},
	{name: "loop, 16 callers", calls: 8, first: true, callers: 16},
	{name: "16 callers, 2 compute", calls: 8, first: true, callers: 16, computing: 2},
	{name: "100 Go and a Call", calls: 1, posts: 100},
	{name: "burst of 200 after 4 ms", calls: 200, pause: 4 * ms},
	{name: "lone call each 2 ms", calls: 1, pause: 2 * ms},
	{name: "3 calls each ms", calls: 3, pause: ms},
	{name: "1 computes, call each 5 ms", calls: 1, pause: 5 * ms, computing: 1},
	{name: "2 compute, call each 5 ms", calls: 1, pause: 5 * ms, computing: 2},
	{name: "4 compute, call each 5 ms", calls: 1, pause: 5 * ms, computing: 4},
}

// crowds are many callers of one thread, with functions of so many µs, and many pairs of a thread
// and its caller.
var crowds = []phase{
	{name: "2 callers, 0 µs", calls: 8, callers: 2},
	{name: "2 callers, 3 µs", calls: 8, callers: 2, function: 3},
	{name: "2 callers, 20 µs", calls: 8, callers: 2, function: 20},
	{name: "4 callers, 0 µs", calls: 8, callers: 4},
	{name: "4 callers, 3 µs", calls: 8, callers: 4, function: 3},
	{name: "4 callers, 20 µs", calls: 8, callers: 4, function: 20},
	{name: "16 callers, 0 µs", calls: 8, callers: 16},
	{name: "16 callers, 3 µs", calls: 8, callers: 16, function: 3},
	{name: "16 callers, 20 µs", calls: 8, callers: 16, function: 20},
	{name: "64 callers, 0 µs", calls: 8, callers: 64},
	{name: "64 callers, 3 µs", calls: 8, callers: 64, function: 3},
	{name: "64 callers, 20 µs", calls: 8, callers: 64, function: 20},
	{name: "256 callers, 3 µs", calls: 8, callers: 256, function: 3},
	{name: "4 think 20 µs, 3 µs", calls: 8, callers: 4, work: 20, function: 3},
	{name: "16 think 100 µs, 3 µs", calls: 8, callers: 16, work: 100, function: 3},
	{name: "64 think 100 µs, 3 µs", calls: 8, callers: 64, work: 100, function: 3},
	{name: "64 sleep 1 ms, 3 µs", calls: 1, callers: 64, pause: ms, function: 3},
	{name: "1000 sleep 10 ms, 3 µs", calls: 1, callers: 1000, pause: 10 * ms, function: 3},
	{name: "1 pair", calls: 8, first: true},
	{name: "2 pairs", calls: 8, first: true, threads: 2, callers: 2},
	{name: "4 pairs", calls: 8, first: true, threads: 4, callers: 4},
	{name: "8 pairs", calls: 8, first: true, threads: 8, callers: 8},
	{name: "16 pairs", calls: 8, first: true, threads: 16, callers: 16},
	{name: "64 pairs", calls: 8, first: true, threads: 64, callers: 64},
	{name: "8 pairs, 20 µs", calls: 8, threads: 8, callers: 8, function: 20},
	{name: "lone call each 300 µs", calls: 1, pause: 300 * ms / 1000},
	{name: "lone call each 2 ms", calls: 1, pause: 2 * ms},
	{name: "loop, 15 µs of work", calls: 8, work: 15},
}

// posts are what is handed over by Go, functions of so many µs after so many of work, and a Call
// behind them.
var posts = []phase{
	{name: "flood, 0 µs", calls: 1, posts: 1000, posting: true},
	{name: "flood, 1 µs", calls: 1, posts: 1000, posting: true, function: 1},
	{name: "post each 2 µs, 1 µs", calls: 1, posts: 1000, posting: true, work: 2, function: 1},
	{name: "post each 10 µs, 1 µs", calls: 1, posts: 1000, posting: true, work: 10, function: 1},
	{name: "post each 50 µs, 1 µs", calls: 1, posts: 200, posting: true, work: 50, function: 1},
	{name: "post each 200 µs, 5 µs", calls: 1, posts: 50, posting: true, work: 200, function: 5},
	{name: "frame 16 ms, 100 posts, 2 µs", calls: 1, posts: 100, posting: true, work: 2,
		period: 16 * ms},
}

// pools are callers that share the threads of a pool, or a key for each of them in turn.
var pools = []phase{
	{name: "2 threads, 1 caller, 0 µs", calls: 8, pool: true, threads: 2},
	{name: "2 threads, 2 callers, 0 µs", calls: 8, pool: true, threads: 2, callers: 2},
	{name: "2 threads, 8 callers, 0 µs", calls: 8, pool: true, threads: 2, callers: 8},
	{name: "4 threads, 8 callers, 100 µs", calls: 8, pool: true, threads: 4, callers: 8,
		function: 100},
	{name: "8 threads, 64 callers, 20 µs, think 100 µs", calls: 8, pool: true, threads: 8,
		callers: 64, work: 100, function: 20},
}

// A side is one of those that are compared: what a phase calls and, if it is nested, from where. It
// exists as long as the process, so that it keeps what it learns.
type side struct {
	way
	threads []compare.Subject
	caller  compare.Subject
}

// from is where nested calls of the side come from.
func (s side) from() way {
	if s.name == onMain.name || s.name == onThread.name {
		return onThread
	}
	return reference
}

// can is whether there is such a phase of the side: there is one main thread, and two threads that
// spin have the cores.
func (s side) can(p phase) bool {
	if s.share != nil {
		return p.pool
	}
	_, spins := s.threads[0].(*compare.Spinner)
	return p.threads <= len(s.threads) && !(spins && (p.callers > 1 || p.posts > 0))
}

// run returns what the phase has measured, in the Go benchmark format: the latency of calls, the
// CPU time of the process for each call or post, the caller's own work included, and how late a
// goroutine was that slept 1.5 to 2.5 ms again and again.
func (p phase) run(s side, d time.Duration) string {
	var stop atomic.Bool
	var workers, callers testutil.Group
	var lateness []time.Duration
	workers.Go(func() {
		for !stop.Load() {
			d := 3*ms/2 + rand.N(ms) // not in step with the frames
			start := time.Now()
			time.Sleep(d)
			lateness = append(lateness, time.Since(start)-d)
		}
	})
	defer computeOn(p.computing)()
	threads := s.threads
	if p.pool {
		var end func()
		threads, end = s.share(p.threads, max(p.callers, 1))
		defer end()
	} else {
		threads = threads[:max(p.threads, 1)]
	}
	latencies := make([][]time.Duration, max(p.callers, 1))
	r := compare.Measure(func() (ops int) {
		until := time.Now().Add(d)
		switch {
		case p.callers > 1:
			for i := range latencies {
				callers.Go(func() { latencies[i] = p.loop(threads[i%len(threads)], until) })
			}
			callers.Wait()
		case p.nested:
			s.caller.Call(func() { latencies[0] = p.loop(threads[0], until) })
		case len(threads) > 1:
			latencies[0] = p.loop(&inTurn{threads: threads}, until)
		default:
			latencies[0] = p.loop(threads[0], until)
		}
		for _, l := range latencies {
			ops += len(l)
		}
		if !p.posting {
			ops *= 1 + p.posts
		}
		if p.first {
			ops *= p.calls
		}
		return ops
	})
	stop.Store(true)
	workers.Wait()
	r.Latencies = slices.Concat(latencies...)
	slices.Sort(r.Latencies)
	slices.Sort(lateness)
	l := compare.Result{Latencies: lateness}
	return fmt.Sprintf("/%s/subject=%s 1 %.0f p50-ns %.0f mean-ns %.0f p99-ns "+
		"%.0f cpu-ns/op %.0f p90-late-ns %.0f calls/s\n", strings.ReplaceAll(p.name, " ", "_"), s.name,
		r.Quantile(50), r.Mean(), r.Quantile(99), r.CPU, l.Quantile(90), 1e9/r.Time)
}

func (p phase) loop(s compare.Subject, until time.Time) (latencies []time.Duration) {
	f, rest := nop, nop
	if p.function > 0 {
		f = func() { compute(p.function) }
	}
	if s, ok := s.(*compare.Spinner); ok {
		rest = s.Rest
	}
	for start := time.Now(); start.Before(until); start = time.Now() {
		for i := range p.calls {
			for range p.posts {
				if !p.posting {
					s.Go(nop)
					continue
				}
				compute(p.work)
				before := time.Now()
				s.Go(f)
				latencies = append(latencies, time.Since(before))
			}
			if p.posting {
				s.Call(nop)
				continue
			}
			compute(p.work)
			if p.first && i > 0 {
				s.Call(f)
				continue
			}
			before := time.Now()
			s.Call(f)
			latencies = append(latencies, time.Since(before))
		}
		if p.pause+p.period > 0 {
			rest()
			time.Sleep(max(p.pause, p.period-time.Since(start)))
		}
	}
	rest()
	return latencies
}

// An inTurn calls one thread after the other.
type inTurn struct {
	threads []compare.Subject
	next    int
}

func (t *inTurn) Call(f func()) bool {
	s := t.threads[t.next]
	if t.next++; t.next == len(t.threads) {
		t.next = 0
	}
	return s.Call(f)
}

func (t *inTurn) Go(f func()) bool { panic("not used") }

// Phases says which phases are measured, and for how long.
type Phases struct {
	Name   string // of the benchmark that the phases are written as
	List   string // a name in lists
	Rounds int
	For    time.Duration
	Match  *regexp.Regexp // of the names of phases
	Sides  *regexp.Regexp // of the names of what is compared
	Seed   uint64
}

// lists are the phases that are measured together, and what is compared in them.
var lists = map[string]struct {
	phases []phase
	sides  []way
}{
	"":       {phases, []way{onMain, onThread, reference, spinning}},
	"crowds": {crowds, []way{onMain, onThread, reference, spinning}},
	"posts":  {posts, []way{onMain, onThread, buffered("reference", 1024), buffered("small", 16)}},
	"pools":  {pools, []way{inPool, byKey, oneChannel}},
}

// inTurnOf is how many phases of a side follow one another before it is another's turn.
const inTurnOf = 3

// Run measures the phases of this engine on the main thread, which mainthread.Init must serve, and
// on an own one, of the channel to a locked goroutine, and of a thread that spins with its caller
// as long as a frame lasts; or what lists says. The phases of each round follow one another in
// random order in one process. It writes the results in the Go benchmark format.
func (p Phases) Run(w io.Writer) {
	calibrate()
	list := lists[p.List]
	chosen := slices.DeleteFunc(slices.Clone(list.phases), func(ph phase) bool {
		return !p.Match.MatchString(ph.name) || ph.threads > max(4, 4*runtime.GOMAXPROCS(0))
	})
	most := 1
	for _, ph := range chosen {
		most = max(most, ph.threads)
	}
	var sides []side
	for _, w := range list.sides {
		if !p.Sides.MatchString(w.name) || w.name == spinning.name && !compare.Spins() {
			continue
		}
		s, ways := side{way: w}, slices.Repeat([]way{w}, most)
		switch w.name {
		case onMain.name, spinning.name:
			ways = ways[:1]
		}
		if w.share != nil {
			ways = nil
		}
		for _, w := range ways {
			subject, end := w.open()
			defer end()
			s.threads = append(s.threads, subject)
		}
		caller, end := s.from().open()
		defer end()
		s.caller = caller
		sides = append(sides, s)
	}
	fmt.Fprintf(w, "# machine: %s\n# %v of each phase, GOMAXPROCS %d, seed %d\n", Machine(), p.For,
		runtime.GOMAXPROCS(0), p.Seed)
	for _, unit := range []string{"p50-ns", "mean-ns", "p99-ns", "cpu-ns/op", "p90-late-ns"} {
		fmt.Fprintf(w, "Unit %s better=lower\n", unit)
	}
	fmt.Fprintln(w, "Unit calls/s better=higher")
	rng := rand.New(rand.NewPCG(p.Seed, 0))
	for round := range p.Rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, p.Rounds)
		for chunk := range slices.Chunk(rng.Perm(len(chosen)), inTurnOf) {
			for _, s := range rng.Perm(len(sides)) {
				for _, i := range chunk {
					d := p.For
					if chosen[i].computing > 0 { // calls take long: there are few
						d *= 4
					}
					if sides[s].can(chosen[i]) {
						io.WriteString(w, "Benchmark"+p.Name+chosen[i].run(sides[s], d))
					}
				}
			}
		}
	}
}
