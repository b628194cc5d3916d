package bench

import (
	_ "embed"
	"encoding/json"
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
// Times are in microseconds.
type phase struct {
	Name           string
	Calls          int  // of a frame
	Work, Function int  // before each call and in it
	Period, Pause  int  // from frame to frame; after each; both zero in a closed loop
	First          bool // only the first call of a frame is timed
	Longer         int  // than other phases, by so many times, as a timeslice takes 20 ms
	Posts          int  // functions handed over by Go before each call
	Posting        bool // each post is timed, after the work, and not the call
	Threads        int  // that are called, if not one
	Callers        int  // if not one; they share the threads
	Computing      int  // goroutines that compute meanwhile
	Nested         bool // the caller is a thread
	Pool           bool // the threads are those of a pool, made for the phase
}

const ms = time.Millisecond

// lists are the phases that are measured together: without a name, those that programs have;
// crowds, many callers of one thread, and many pairs of a thread and its caller; posts, what is
// handed over by Go, and a Call behind it; pools, callers that share the threads of a pool, or use
// a key for each of them in turn, next to one channel for all and to one for each key. Their names
// have the function's time and that of the work.
var lists = func() (lists map[string][]phase) {
	if err := json.Unmarshal(phases, &lists); err != nil {
		panic(err)
	}
	return lists
}()

//go:embed phases.json
var phases []byte

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
	return p.Pool || p.Threads <= len(s.threads) &&
		!(s.name == spinning.name && (p.Callers > 1 || p.Posts > 0))
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
	defer computeOn(p.Computing)()
	threads := s.threads
	if p.Pool {
		var end func()
		threads, end = s.open(p.Threads)
		defer end()
	} else {
		threads = threads[:max(p.Threads, 1)]
	}
	called := func(caller int) compare.Subject {
		if len(threads) > 1 && (p.Pool || p.Callers <= 1) {
			return &inTurn{threads, caller}
		}
		return threads[caller%len(threads)]
	}
	latencies := make([][]time.Duration, max(p.Callers, 1))
	r := compare.Measure(func() (ops int) {
		start := time.Now()
		until := start.Add(time.Duration(max(p.Longer, 1)) * d)
		switch {
		case p.Callers > 1:
			for i := range latencies {
				callers.Go(func() { latencies[i] = p.loop(called(i), start, until) })
			}
			callers.Wait()
		case p.Nested:
			s.caller.Call(func() { latencies[0] = p.loop(called(0), start, until) })
		default:
			latencies[0] = p.loop(called(0), start, until)
		}
		for _, l := range latencies {
			ops += len(l)
		}
		if !p.Posting {
			ops *= 1 + p.Posts
		}
		if p.First {
			ops *= p.Calls
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
		"%.0f cpu-ns/op %.0f p90-late-ns %.0f calls/s\n", strings.ReplaceAll(p.Name, " ", "_"), s.name,
		r.Quantile(50), r.Mean(), r.Quantile(99), r.CPU, l.Quantile(90), 1e9/r.Time)
}

// loop calls s from start until a time. Without a pause, a call lasts from the end of the one
// before, or from start: so what a caller waits for its P is part of its calls.
func (p phase) loop(s compare.Subject, start, until time.Time) (latencies []time.Duration) {
	f, rest := nop, nop
	if p.Function > 0 {
		f = func() { compute(p.Function) }
	}
	if s, ok := s.(*compare.Spinner); ok {
		rest = s.Rest
	}
	if p.Work+p.Posts == 0 && p.Pause+p.Period == 0 {
		for before := start; before.Before(until); {
			s.Call(f)
			end := time.Now()
			latencies = append(latencies, end.Sub(before))
			if before = end; p.First {
				for range p.Calls - 1 {
					s.Call(f)
				}
				before = time.Now()
			}
		}
		rest()
		return latencies
	}
	for start = time.Now(); start.Before(until); start = time.Now() {
		for i := range p.Calls {
			for range p.Posts {
				if !p.Posting {
					s.Go(nop)
					continue
				}
				compute(p.Work)
				before := time.Now()
				s.Go(f)
				latencies = append(latencies, time.Since(before))
			}
			if p.Posting {
				s.Call(nop)
				continue
			}
			compute(p.Work)
			if p.First && i > 0 {
				s.Call(f)
				continue
			}
			before := time.Now()
			s.Call(f)
			latencies = append(latencies, time.Since(before))
		}
		if p.Pause+p.Period > 0 {
			rest()
			pause, period := time.Duration(p.Pause), time.Duration(p.Period)
			time.Sleep(max(pause*time.Microsecond, period*time.Microsecond-time.Since(start)))
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
	t.next = (t.next + 1) % len(t.threads)
	return t.threads[t.next].Call(f)
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

// compared are the sides of the phases in lists.
var compared = map[string][]way{
	"":       {onMain, onThread, reference, spinning},
	"crowds": {onMain, onThread, reference, spinning},
	"posts":  {onMain, onThread, buffered("reference", 1024), buffered("small", 16)},
	"pools":  {inPool, byKey, oneChannel, channels},
}

// inTurnOf is how many phases of a side follow one another before it is another's turn.
const inTurnOf = 3

// Run measures the phases of this engine on the main thread, which mainthread.Init must serve, and
// on an own one, of the channel to a locked goroutine, and of a thread that spins with its caller
// as long as a frame lasts; or what lists says. The phases of each round follow one another in
// random order in one process. It writes the results in the Go benchmark format.
func (p Phases) Run(w io.Writer) {
	calibrate()
	chosen := slices.DeleteFunc(slices.Clone(lists[p.List]), func(ph phase) bool {
		return !p.Match.MatchString(ph.Name) || ph.Threads > max(4, 4*runtime.GOMAXPROCS(0))
	})
	most := 0
	for _, ph := range chosen {
		if !ph.Pool {
			most = max(most, ph.Threads, 1)
		}
	}
	var sides []side
	for _, w := range compared[p.List] {
		if !p.Sides.MatchString(w.name) || w.name == spinning.name && !compare.Spins() {
			continue
		}
		s := side{way: w}
		if most > 0 {
			threads, end := w.open(most)
			defer end()
			callers, stop := s.from().open(1)
			defer stop()
			s.threads, s.caller = threads, callers[0]
		}
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
					if chosen[i].Computing > 0 { // calls take long: there are few
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

// Machine describes what figures belong to: processor, system, Go, the day, and the words of the
// kernel's command line that say how it schedules, halts and virtualizes cores. A lone call wakes a
// core that has halted, and what that takes depends on these above all.
func Machine() string {
	read := func(name string) string {
		text, _ := os.ReadFile(name)
		return strings.TrimSpace(string(text))
	}
	cpu := runtime.GOARCH
	if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindStringSubmatch(
		read("/proc/cpuinfo")); m != nil {
		cpu = m[1]
	}
	words := strings.Join(regexp.MustCompile(`\S*(?:sched|haltpoll|pvm)\S*`).FindAllString(
		read("/proc/cmdline"), -1), " ")
	if words == "" {
		words = "without sched, haltpoll, pvm"
	}
	version, _, _ := strings.Cut(read("/proc/sys/kernel/osrelease"), "-")
	return fmt.Sprintf("%d cores of %s, %s %s (kernel command line: %s), %s, %s", runtime.NumCPU(),
		cpu, runtime.GOOS, version, words, runtime.Version(), time.Now().Format(time.DateOnly))
}
