package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

func TestMain(m *testing.M) {
	MaybeBurn()
	flag.Parse()
	// for threadcall bench, which then knows what is worse
	if flag.Lookup("test.bench").Value.String() != "" {
		for _, unit := range []string{"cpu-ns/op", "p90-ns", "p99-ns"} {
			fmt.Printf("Unit %s better=lower\n", unit)
		}
	}
	code := 1
	mainthread.Init(func() { code = m.Run() })
	os.Exit(code)
}

// The benchmarks report, where it applies,
//
//	ns/op        the median of single operations, in closed loops without a pause the mean of all
//	cpu-ns/op    the CPU time of the whole process, pauses and the caller's own work included
//	p90-ns       what one call in ten exceeds, in closed loops one of those that were timed
//	p99-ns       what one call in a hundred exceeds
//
// Pauses and the caller's own work do not count in times. An operation of Burst is 200 calls. Where
// there is a p99-ns, up to 8 B/op are the benchmark's own.
//
// The subject bound is the lower bound: what two threads need that do nothing else. In closed loops
// they hand one word to and fro, for lone calls they wake each other by futex on one core.

func BenchmarkHot(b *testing.B) {
	each(b, compare.Hot)
	bound(b)
}

func BenchmarkIdle(b *testing.B) {
	each(b, idle)
	b.Run(named("bound"), func(b *testing.B) {
		report(b, leastLone(b))
	})
}

// The bound is that of a lone call and of 200 hot ones.
func BenchmarkBurst(b *testing.B) {
	each(b, burst)
	b.Run(named("bound"), func(b *testing.B) {
		hot, ok := compare.Bound(200 * b.N)
		if !ok {
			b.Skip("two threads cannot run at once here")
		}
		r := leastLone(b)
		r.Time += 200 * hot.Time
		for i := range r.Latencies {
			r.Latencies[i] += time.Duration(200 * hot.Time)
		}
		report(b, r)
	})
}

func BenchmarkFrame(b *testing.B) { each(b, frame) }

// Background load: a process that computes for a tenth of the time.
func BenchmarkFrameBackground(b *testing.B) {
	defer neighbours(b, 1, 9*time.Millisecond)()
	each(b, frame)
}

func BenchmarkContended(b *testing.B) {
	sizes(b, "callers", []int{16, 256, 4096}, func(b *testing.B, n int) {
		each(b, contended(n))
		bound(b)
	})
}

func BenchmarkPost(b *testing.B) {
	each(b, posting)
	bound(b)
}

func BenchmarkPairs(b *testing.B) {
	for _, w := range []way{onThread, reference} { // there is one main thread
		measure(b, w, 100, inPairs)
	}
}

func BenchmarkPool(b *testing.B) {
	sizes(b, "callers", []int{1, 100}, func(b *testing.B, n int) {
		measureAll(b, []way{inPool, oneChannel}, 100, contended(n))
	})
}

func BenchmarkEventLoop(b *testing.B) {
	measureAll(b, eventLoops, 1, lone(time.Millisecond))
}

// What observing costs each call of a closed loop. Nothing is observed on thread.
func BenchmarkObserved(b *testing.B) { measureAll(b, observed, 1, compare.Hot) }

func BenchmarkStats(b *testing.B) {
	t := thread.New()
	defer t.Terminate()
	for b.Loop() {
		t.Stats()
	}
}

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
			report(b, single(b.N, func(int) {}, func() { s.life(nop) }))
		})
	}
}

func BenchmarkBackground(b *testing.B) {
	defer neighbours(b, runtime.NumCPU(), 0)()
	b.Run("idle", func(b *testing.B) { each(b, idle) })
	b.Run("burst", func(b *testing.B) { each(b, burst) })
}

func BenchmarkOneP(b *testing.B) {
	each(b, func(s compare.Subject, n int) compare.Result {
		// here, since testing sets it for each benchmark
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		return compare.Hot(s, n)
	})
}

// sizes runs a benchmark for each of several numbers.
func sizes(b *testing.B, key string, numbers []int, run func(b *testing.B, n int)) {
	for _, n := range numbers {
		b.Run(key+"="+strconv.Itoa(n), func(b *testing.B) { run(b, n) })
	}
}

func each(b *testing.B, p load) { measureAll(b, []way{onMain, onThread, reference}, 1, p) }

func measureAll(b *testing.B, ways []way, threads int, p load) {
	for _, w := range ways {
		measure(b, w, threads, func(threads []compare.Subject, n int) compare.Result {
			return p(threads[0], n)
		})
	}
}

// neighbours starts background load.
func neighbours(b *testing.B, n int, sleep time.Duration) (stop func()) {
	stop, err := Background(n, sleep)
	if err != nil {
		b.Skip(err)
	}
	return stop
}

func bound(b *testing.B) {
	b.Run(named("bound"), func(b *testing.B) {
		r, ok := compare.Bound(b.N)
		if !ok {
			b.Skip("two threads cannot run at once here")
		}
		r.CPU = 0 // both spin
		report(b, r)
	})
}

// leastLone returns the lower bound of a lone call, or skips the benchmark.
func leastLone(b *testing.B) compare.Result {
	r, ok := loneBound(b.N)
	if !ok {
		b.Skip("there is no futex here")
	}
	return r
}

// named makes the subject a key that tools can compare by.
func named(subject string) string { return "subject=" + subject }

// measure runs a benchmark of so many threads.
func measure(b *testing.B, w way, threads int,
	run func(threads []compare.Subject, n int) compare.Result) {
	b.Run(named(w.name), func(b *testing.B) {
		all, end := w.open(threads)
		defer end()
		for _, s := range all {
			s.Call(nop) // the thread is there
		}
		b.ReportAllocs()
		b.ResetTimer()
		r := run(all, b.N)
		b.StopTimer()
		report(b, r)
	})
}

func report(b *testing.B, r compare.Result) {
	b.ReportMetric(r.Time, "ns/op")
	if r.CPU > 0 {
		b.ReportMetric(r.CPU, "cpu-ns/op")
	}
	if r.Latencies != nil {
		b.ReportMetric(r.Mean(), "mean-ns")
		b.ReportMetric(r.Quantile(90), "p90-ns")
		b.ReportMetric(r.Quantile(99), "p99-ns")
	}
}

// observed are ways to observe what a thread does.
var observed = []way{
	onThread,
	alone("times", func() (compare.Subject, func()) {
		t := thread.New(thread.WithTimes())
		return t, t.Terminate
	}),
	alone("slow", func() (compare.Subject, func()) {
		t := thread.New(thread.WithSlowCall(time.Minute, func(thread.SlowCall) {}))
		return t, t.Terminate
	}),
	alone("context", func() (compare.Subject, func()) { return withContext(context.TODO()) }),
	alone("cancel", func() (compare.Subject, func()) {
		ctx, cancel := context.WithCancel(context.Background())
		s, end := withContext(ctx)
		return s, func() { end(); cancel() }
	}),
	alone("labels", func() (compare.Subject, func()) {
		return withContext(pprof.WithLabels(context.Background(),
			pprof.Labels("work", "a", "for", "b")))
	}),
}

// A contextual thread is called by CallContext.
type contextual struct {
	*thread.Thread
	ctx context.Context
}

func (c contextual) Call(f func()) bool { return c.CallContext(c.ctx, f) == nil }

func withContext(ctx context.Context) (compare.Subject, func()) {
	t := thread.New()
	return contextual{t, ctx}, t.Terminate
}

// eventLoops are two ways to have functions run by an external event loop that waits in the
// operating system, here for a pipe.
var eventLoops = []way{
	alone("thread", func() (compare.Subject, func()) {
		var t *thread.Thread
		end := eventLoop(func(wake func()) (serve func()) {
			l := thread.Adopt()
			l.OnWake(wake)
			t = l.Thread()
			return func() { l.Serve(0) }
		}, func() { t.Terminate() })
		return t, end
	}),
	alone("reference", func() (compare.Subject, func()) {
		w := &woken{buffer: make(buffer, runtime.GOMAXPROCS(0))}
		end := eventLoop(func(wake func()) (serve func()) {
			w.wake = wake
			return func() {
				for range len(w.buffer) {
					(<-w.buffer)()
				}
			}
		}, nop)
		return w, end
	}),
}

// A woken is a buffer that wakes the event loop of its thread.
type woken struct {
	buffer
	wake  func()
	dones sync.Pool // of chan bool
}

func (w *woken) Call(f func()) bool {
	done, _ := w.dones.Get().(chan bool)
	if done == nil {
		done = make(chan bool)
	}
	defer w.dones.Put(done)
	w.buffer <- func() { f(); done <- true }
	w.wake()
	return <-done
}

func (w *woken) Go(f func()) bool {
	w.buffer <- f
	w.wake()
	return true
}

// eventLoop starts a goroutine that is locked to its thread and calls serve after each wake, and
// returns when that waits.
func eventLoop(begin func(wake func()) (serve func()), terminate func()) (end func()) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	r.Fd() // from now on, reading blocks the thread and not only the goroutine
	begun, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		serve := begin(func() { w.Write([]byte{0}) })
		defer terminate()
		close(begun)
		for b := make([]byte, 64); ; serve() {
			if _, err := r.Read(b); err != nil {
				return
			}
		}
	}()
	<-begun
	return func() {
		w.Close()
		<-ended
		r.Close()
	}
}

func TestSubjects(t *testing.T) {
	all := []way{onMain, onThread, reference, inPool, oneChannel}
	if runtime.GOARCH != "wasm" { // which has no pipes
		all = append(all, eventLoops...)
	}
	for _, s := range all {
		subjects, end := s.open(3)
		subject := subjects[0]
		var ran atomic.Int32
		posted := make(chan bool)
		if !subject.Go(func() { ran.Add(1); close(posted) }) ||
			!subject.Call(func() { ran.Add(1) }) {
			t.Errorf("%s refused a function", s.name)
		}
		if <-posted; ran.Load() != 2 {
			t.Errorf("%s ran %d of 2 functions", s.name, ran.Load())
		}
		end()
	}
}
