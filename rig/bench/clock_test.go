package bench

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/thread"
)

// clockPeriod is the time between two ticks, not a whole number of milliseconds, as the
// period of most screens.
const clockPeriod = 4_300 * time.Microsecond

// A clock runs tick n times on a thread, each clockPeriod if it can, and passes it how late it is:
// the time since the first of the due times that it stands for.
type clock func(n int, tick func(late time.Duration))

var clocks = map[string]clock{"thread": timerClock, "reference": tickerClock}

func timerClock(n int, tick func(late time.Duration)) {
	t := thread.New()
	defer t.Terminate()
	done := make(chan bool)
	t.Call(func() {
		var timer *thread.Timer
		var ran, number int64
		start := time.Now()
		timer = t.Every(clockPeriod, func() {
			tick(time.Since(start) - time.Duration(number+1)*clockPeriod)
			ran++
			number = ran + timer.Missed()
			if ran == int64(n) {
				timer.Stop()
				close(done)
			}
		})
	})
	<-done
}

// tickerClock uses a time.Ticker in a goroutine that is locked to its thread.
func tickerClock(n int, tick func(late time.Duration)) {
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread()
		start := time.Now()
		ticker := time.NewTicker(clockPeriod)
		defer ticker.Stop()
		number := int64(0)
		for range n {
			sent := int64((<-ticker.C).Sub(start) / clockPeriod)
			tick(time.Since(start) - time.Duration(min(number+1, sent))*clockPeriod)
			number = max(number, sent)
		}
	}()
	<-done
}

// BenchmarkClock reports how late ticks are, in an otherwise idle program, and while goroutines
// compute or send to each other over channels.
func BenchmarkClock(b *testing.B) {
	for _, load := range []struct {
		name               string
		computing, sending int
	}{{"idle", 0, 0}, {"computing=1", 1, 0}, {"computing=2", 2, 0}, {"computing=4", 4, 0},
		{"sending=4", 0, 4}} {
		b.Run(load.name, func(b *testing.B) {
			for name, c := range clocks {
				b.Run(named(name), func(b *testing.B) {
					b.ReportAllocs()
					r := ticks(c, load.computing, load.sending, max(b.N, 50))
					report(b, r)
					b.ReportMetric(r.Quantile(95), "p95-ns")
				})
			}
		})
	}
}

// computingSettle is how long the scheduler needs to get used to a change of the load.
const computingSettle = 30 * time.Millisecond

// ticks measures n ticks. Latencies are how late they were, and Time is their median.
func ticks(c clock, computing, sending, n int) compare.Result {
	defer computeOn(computing)()
	for range sending {
		there, back := make(chan int), make(chan int)
		go func() {
			for v := range there {
				back <- v
			}
		}()
		quit := make(chan bool)
		defer close(quit)
		go func() {
			defer close(there)
			for {
				select {
				case there <- 1:
					<-back
				case <-quit:
					return
				}
			}
		}()
	}
	if computing+sending > 0 {
		time.Sleep(computingSettle)
	}
	latencies := make([]time.Duration, 0, n)
	r := compare.Measure(func() int {
		c(n, func(late time.Duration) { latencies = append(latencies, late) })
		return n
	})
	slices.Sort(latencies)
	r.Latencies = latencies
	r.Time = r.Quantile(50)
	return r
}
