package benchmarks

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/workload"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

func TestMain(m *testing.M) {
	workload.MaybeBurn()
	placement, err := workload.Place()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() != "" { // for threadcall bench, which then knows what is worse
		for _, unit := range []string{"cpu-ns/op", "p90-ns", "p99-ns", "lost-%"} {
			fmt.Printf("Unit %s better=lower\n", unit)
		}
		if placement != "" {
			fmt.Println("placement:", placement)
		}
	}
	code := 1
	mainthread.Init(func() { code = m.Run() })
	os.Exit(code)
}

func BenchmarkHot(b *testing.B) {
	each(b, workload.Hot)
	floor(b)
}

func BenchmarkIdle(b *testing.B) {
	each(b, workload.Idle)
	for _, f := range []struct {
		name  string
		cores []int
	}{{"floor-one", []int{1}}, {"floor-two", []int{2}}, {"floor", []int{1, 2}}} {
		b.Run(named(f.name), func(b *testing.B) {
			if r, ok := loneFloor(b, f.cores...); ok {
				report(b, r)
			}
		})
	}
}

// The floor is that of a lone call and of 200 hot ones.
func BenchmarkBurst(b *testing.B) {
	each(b, workload.Burst)
	b.Run(named("floor"), func(b *testing.B) {
		hot, ok := workload.Floor(workload.Extent{N: 200 * b.N})
		if !ok {
			b.Skip("two threads cannot run at once here")
		}
		r, ok := loneFloor(b, 1, 2)
		if !ok {
			return
		}
		r.Time += 200 * hot.Time
		for i := range r.Latencies {
			r.Latencies[i] += time.Duration(200 * hot.Time)
		}
		report(b, r)
	})
}

func BenchmarkFrame(b *testing.B) { each(b, workload.Frame) }

// Another process computes for a tenth of the time.
func BenchmarkFrameNeighbour(b *testing.B) {
	defer neighbours(b, 1, 9*time.Millisecond)()
	each(b, workload.Frame)
}

func BenchmarkWork(b *testing.B) { each(b, workload.Work) }

func BenchmarkLong(b *testing.B) { long(b) }

// Another process computes all the time.
func BenchmarkLongNeighbour(b *testing.B) {
	defer neighbours(b, 1, 0)()
	long(b)
}

func long(b *testing.B) {
	for _, us := range []int{20, 40, 80} {
		b.Run("us="+strconv.Itoa(us), func(b *testing.B) { each(b, workload.Long(us, 0)) })
	}
	b.Run("us=200", func(b *testing.B) { each(b, workload.Long(200, 100*time.Microsecond)) })
}

func BenchmarkContended(b *testing.B) {
	for _, n := range []int{16, 256, 4096} {
		b.Run("callers="+strconv.Itoa(n), func(b *testing.B) {
			each(b, workload.Contended(n))
			floor(b)
		})
	}
}

func BenchmarkPost(b *testing.B) {
	each(b, workload.Post)
	floor(b)
}

// At least 50 calls are made, whatever the benchtime: fewer would say nothing of p99-ns.
func BenchmarkComputing(b *testing.B) {
	p := runtime.GOMAXPROCS(0)
	for _, k := range slices.Compact([]int{max(p/2, 1), p, 2 * p}) {
		b.Run("n="+strconv.Itoa(k), func(b *testing.B) {
			each(b, func(s workload.Subject, x workload.Extent) workload.Result {
				return workload.Computing(k)(s, workload.Extent{N: max(x.N, 50)})
			})
		})
	}
}

// A debugger, which is a real program's load.
func BenchmarkTracer(b *testing.B) {
	each(b, func(s workload.Subject, x workload.Extent) workload.Result {
		r, err := workload.Tracer(s, x)
		if err != nil {
			b.Skip(err)
		}
		return r
	})
}

func BenchmarkTurns(b *testing.B) {
	for _, n := range []int{2, 4, 100} {
		b.Run("threads="+strconv.Itoa(n), func(b *testing.B) { own(b, n, workload.Turns) })
	}
}

func BenchmarkPairs(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run("pairs="+strconv.Itoa(n), func(b *testing.B) { own(b, n, workload.Pairs) })
	}
}

func BenchmarkPool(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run("callers="+strconv.Itoa(n), func(b *testing.B) {
			for _, s := range pool(100) {
				run(b, s, workload.Contended(n))
			}
		})
	}
}

func BenchmarkHost(b *testing.B) {
	for _, s := range hosts {
		run(b, s, workload.Lone(time.Millisecond))
	}
}

// The threads of Short are not held on another core by the placement two: they would be moved more than called.
func BenchmarkShort(b *testing.B) {
	for _, s := range []struct {
		name string
		life func(f func())
	}{
		{"thread", func(f func()) {
			t := thread.New()
			t.Call(f)
			t.Terminate()
		}},
		{"kept", func(f func()) {
			t := thread.New(thread.WithKeep())
			t.Call(f)
			t.Terminate()
		}},
		{"reference", func(f func()) {
			calls, done := make(chan func()), make(chan bool)
			go func() {
				runtime.LockOSThread() // and not unlocked, so that the thread ends as well
				(<-calls)()
				close(done)
			}()
			calls <- f
			<-done
		}},
	} {
		b.Run(named(s.name), func(b *testing.B) {
			b.ReportAllocs()
			report(b, workload.Short(s.life, workload.Extent{N: b.N}))
		})
	}
}

func BenchmarkNeighbours(b *testing.B) {
	defer neighbours(b, runtime.NumCPU(), 0)()
	b.Run("idle", func(b *testing.B) { each(b, workload.Idle) })
	b.Run("burst", func(b *testing.B) { each(b, workload.Burst) })
}

// The reference is missing because it deadlocks.
func BenchmarkNested(b *testing.B) {
	run(b, Threadcall, workload.Nested)
	run(b, Thread, workload.Nested)
	b.Run(named("plain"), func(b *testing.B) { report(b, workload.Indirect(workload.Extent{N: b.N})) })
}

func BenchmarkOneP(b *testing.B) {
	for _, s := range []Subject{Threadcall, Thread, Reference} {
		b.Run(named(s.Name), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // here, since testing sets it for each benchmark
			measure(b, s, 1, single(workload.Hot))
		})
	}
}

func each(b *testing.B, p workload.Pattern) {
	run(b, Threadcall, p)
	run(b, Thread, p)
	run(b, Reference, p)
}

// own is each for n threads. There is one main thread, so that is missing.
func own(b *testing.B, n int, p many) {
	for _, s := range []Subject{Thread, Reference} {
		b.Run(named(s.Name), func(b *testing.B) { measure(b, s, n, p) })
	}
}

func run(b *testing.B, s Subject, p workload.Pattern) {
	b.Run(named(s.Name), func(b *testing.B) { measure(b, s, 1, single(p)) })
}

// neighbours starts other processes that compute for a millisecond and sleep for as long as given, in a loop.
func neighbours(b *testing.B, n int, sleep time.Duration) (stop func()) {
	var err error
	workload.Everywhere(func() { stop, err = workload.StartNeighbours(n, sleep) })
	if err != nil {
		b.Skip(err)
	}
	return stop
}

func floor(b *testing.B) {
	b.Run(named("floor"), func(b *testing.B) {
		r, ok := workload.Floor(workload.Extent{N: b.N})
		if !ok {
			b.Skip("two threads cannot run at once here")
		}
		r.CPU = 0 // both spin
		report(b, r)
	})
}

// loneFloor returns the better of these, or skips the benchmark.
func loneFloor(b *testing.B, cores ...int) (best workload.Result, found bool) {
	for _, n := range cores {
		if r, ok := workload.LoneFloor(workload.Extent{N: b.N}, n); ok && (!found || r.Time < best.Time) {
			best, found = r, true
		}
	}
	if !found {
		b.Skip("there is no futex here, or not that many cores")
	}
	return best, found
}

// named makes the subject a key that tools can compare by.
func named(subject string) string { return "subject=" + subject }

// many is a Pattern of several threads.
type many func(threads []workload.Subject, x workload.Extent) workload.Result

func single(p workload.Pattern) many {
	return func(threads []workload.Subject, x workload.Extent) workload.Result { return p(threads[0], x) }
}

func measure(b *testing.B, s Subject, n int, p many) {
	var threads []workload.Subject
	for range n {
		subject, end := s.Open()
		defer end()
		subject.Call(func() {}) // the thread is there
		defer workload.Hold(subject, max(s.Threads, 1))()
		threads = append(threads, subject)
	}
	b.ReportAllocs()
	b.ResetTimer()
	r := p(threads, workload.Extent{N: b.N})
	b.StopTimer()
	report(b, r)
}

func report(b *testing.B, r workload.Result) {
	b.ReportMetric(r.Time, "ns/op")
	if r.CPU > 0 {
		b.ReportMetric(r.CPU, "cpu-ns/op")
	}
	if r.Latencies != nil {
		b.ReportMetric(r.Quantile(90), "p90-ns")
		b.ReportMetric(r.Quantile(99), "p99-ns")
	}
	if r.Lost != 0 {
		b.ReportMetric(100*r.Lost, "lost-%")
	}
}

func TestSubjectsRunWhatTheyAreGiven(t *testing.T) {
	all := slices.Concat([]Subject{Threadcall, Thread, Reference}, pool(3))
	if runtime.GOARCH != "wasm" { // which has no pipes
		all = append(all, hosts...)
	}
	for _, s := range all {
		subject, end := s.Open()
		var ran atomic.Int32
		posted := make(chan bool)
		if !subject.Go(func() { ran.Add(1); close(posted) }) || !subject.Call(func() { ran.Add(1) }) {
			t.Errorf("%s refused a function", s.Name)
		}
		if <-posted; ran.Load() != 2 {
			t.Errorf("%s ran %d of 2 functions", s.Name, ran.Load())
		}
		end()
	}
}

func TestThreadcallIsTheMainThread(t *testing.T) {
	subject, _ := Threadcall.Open()
	subject.Call(func() {
		if !mainthread.On() {
			t.Error("not on the main thread")
		}
	})
}
