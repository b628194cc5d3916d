package bench

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

// ClockPeriod is the time between two ticks, which is no number of whole milliseconds, as the period of most screens.
const ClockPeriod = 4_300 * time.Microsecond

// A Clock runs tick n times on a thread, each ClockPeriod if it can, and passes it how late it is: the time since the
// first of the due times that it stands for.
type Clock func(n int, tick func(late time.Duration))

// Timer is a Clock that uses a [thread.Timer].
func Timer(n int, tick func(late time.Duration)) {
	t := thread.New()
	defer t.Terminate()
	done := make(chan bool)
	t.Call(func() {
		var timer *thread.Timer
		var ran, number int64
		start := time.Now()
		timer = t.Every(ClockPeriod, func() {
			tick(time.Since(start) - time.Duration(number+1)*ClockPeriod)
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

// Ticker is a Clock that uses a [time.Ticker] in a goroutine that is locked to its thread.
func Ticker(n int, tick func(late time.Duration)) {
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread()
		start := time.Now()
		ticker := time.NewTicker(ClockPeriod)
		defer ticker.Stop()
		number := int64(0)
		for range n {
			sent := int64((<-ticker.C).Sub(start) / ClockPeriod)
			tick(time.Since(start) - time.Duration(min(number+1, sent))*ClockPeriod)
			number = max(number, sent)
		}
	}()
	<-done
}

// Ticks measures a Clock while so many goroutines compute, and so many pairs of goroutines send to each other over channels. An
// operation is a tick; Latencies are how late they were, and Time is their median.
func Ticks(c Clock, computing, sending int, x Extent) Result {
	var stop atomic.Bool
	var workers group.Group
	for range computing {
		workers.Go(func() {
			for !stop.Load() {
				compute(10)
			}
		})
	}
	for range sending {
		there, back := make(chan int), make(chan int)
		workers.Go(func() {
			for v := range there {
				back <- v
			}
		})
		workers.Go(func() {
			defer close(there)
			for !stop.Load() {
				there <- 1
				<-back
			}
		})
	}
	defer workers.Wait()
	defer stop.Store(true)
	if computing+sending > 0 {
		time.Sleep(computingSettle)
	}
	n := x.N
	if n == 0 {
		n = max(1, int(x.D/ClockPeriod))
	}
	latencies := make([]time.Duration, 0, n)
	r := mean(func() int {
		c(n, func(late time.Duration) { latencies = append(latencies, late) })
		return n
	})
	slices.Sort(latencies)
	r.Latencies = latencies
	r.Time = r.Quantile(50)
	return r
}

// Histogram writes how many latencies there are between each two powers of two, in microseconds.
func Histogram(latencies []time.Duration) string {
	const width = 50
	var counts [64]int
	first, last, most := len(counts), 0, 0
	for _, l := range latencies {
		i := 0
		for l >= time.Microsecond<<(i+1) && i < 40 {
			i++
		}
		counts[i]++
		first, last, most = min(first, i), max(last, i), max(most, counts[i])
	}
	var b strings.Builder
	for i := first; i <= last; i++ {
		from := time.Microsecond << i
		if i == 0 {
			from = 0
		}
		bar := strings.Repeat("#", (counts[i]*width+most-1)/most)
		fmt.Fprintf(&b, "%10v to %10v %6d %s\n", from, time.Microsecond<<(i+1), counts[i], bar)
	}
	return b.String()
}
