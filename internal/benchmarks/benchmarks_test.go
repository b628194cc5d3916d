package benchmarks

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/threadcall/threadcall/internal/workload"
	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	workload.MaybeBurn()
	code := 1
	mainthread.Init(func() { code = m.Run() })
	os.Exit(code)
}

func BenchmarkHot(b *testing.B) {
	each(b, workload.Hot)
	b.Run(named("floor"), func(b *testing.B) {
		r, ok := workload.Floor(workload.Extent{N: b.N})
		if !ok {
			b.Skip("two threads cannot run at once here")
		}
		report(b, r)
	})
}

func BenchmarkIdle(b *testing.B)  { each(b, workload.Idle) }
func BenchmarkBurst(b *testing.B) { each(b, workload.Burst) }

func BenchmarkContended(b *testing.B) {
	for _, n := range []int{16, 256, 4096} {
		b.Run("callers="+strconv.Itoa(n), func(b *testing.B) { each(b, workload.Contended(n)) })
	}
}

func BenchmarkPost(b *testing.B) { each(b, workload.Post) }
func BenchmarkBusy(b *testing.B) { each(b, workload.Busy) }

func BenchmarkNeighbours(b *testing.B) {
	stop, err := workload.StartNeighbours()
	if err != nil {
		b.Skip(err)
	}
	defer stop()
	each(b, workload.Burst)
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
			measure(b, s, workload.Hot)
		})
	}
}

func each(b *testing.B, p workload.Pattern) {
	run(b, Threadcall, p)
	run(b, Thread, p)
	run(b, Reference, p)
}

func run(b *testing.B, s Subject, p workload.Pattern) {
	b.Run(named(s.Name), func(b *testing.B) { measure(b, s, p) })
}

// named makes the subject a key that tools can compare by.
func named(subject string) string { return "subject=" + subject }

func measure(b *testing.B, s Subject, p workload.Pattern) {
	subject, end := s.Open()
	defer end()
	subject.Call(func() {}) // the thread is there
	b.ReportAllocs()
	b.ResetTimer()
	r := p(subject, workload.Extent{N: b.N})
	b.StopTimer()
	report(b, r)
}

func report(b *testing.B, r workload.Result) {
	b.ReportMetric(r.Time, "ns/op")
	if r.CPU > 0 {
		b.ReportMetric(r.CPU, "cpu-ns/op")
	}
	if r.Latencies != nil {
		b.ReportMetric(r.P99(), "p99-ns")
	}
	if r.Lost != 0 {
		b.ReportMetric(100*r.Lost, "lost-%")
	}
}

func TestSubjectsRunWhatTheyAreGiven(t *testing.T) {
	for _, s := range []Subject{Threadcall, Thread, Reference} {
		subject, end := s.Open()
		ran := 0
		if !subject.Go(func() { ran++ }) || !subject.Call(func() { ran++ }) || ran != 2 {
			t.Errorf("%s ran %d of 2 functions", s.Name, ran)
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
