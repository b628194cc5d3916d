package bench

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkClock reports how late ticks are, in an otherwise idle program, and while goroutines compute or switch. With
// THREADCALL_HISTOGRAM=1 in the environment it prints a histogram of each.
func BenchmarkClock(b *testing.B) {
	for _, load := range []struct {
		name               string
		computing, sending int
	}{{"idle", 0, 0}, {"computing=1", 1, 0}, {"computing=2", 2, 0}, {"computing=4", 4, 0}, {"sending=4", 0, 4}} {
		b.Run(load.name, func(b *testing.B) {
			for _, c := range []struct {
				name  string
				clock Clock
			}{{"thread", Timer}, {"reference", Ticker}} {
				b.Run(named(c.name), func(b *testing.B) {
					b.ReportAllocs()
					r := Ticks(c.clock, load.computing, load.sending, Extent{N: max(b.N, 50)})
					report(b, r)
					b.ReportMetric(r.Quantile(95), "p95-ns")
					if os.Getenv("THREADCALL_HISTOGRAM") != "" && len(r.Latencies) > 50 {
						fmt.Fprintf(os.Stderr, "%s, GOMAXPROCS=%d: ticks by how late they were\n%s", b.Name(), runtime.GOMAXPROCS(0), Histogram(r.Latencies))
					}
				})
			}
		})
	}
}

func TestClocksTick(t *testing.T) {
	for name, c := range map[string]Clock{"thread": Timer, "reference": Ticker} {
		r := Ticks(c, 1, 1, Extent{N: 5})
		if len(r.Latencies) != 5 || r.Ops != 5 || name == "thread" && r.Latencies[0] < 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestHistogramHasARowForEachPowerOfTwo(t *testing.T) {
	var latencies []time.Duration
	for us := range 10 {
		latencies = append(latencies, time.Duration(us)*time.Microsecond)
	}
	rows := strings.Split(strings.TrimSpace(Histogram(latencies)), "\n")
	for i, want := range []int{2, 2, 4, 2} { // 0 and 1, 2 and 3, 4 to 7, 8 and 9
		if fields := strings.Fields(rows[i]); len(rows) != 4 || fields[3] != strconv.Itoa(want) {
			t.Errorf("row %d of %d is %q", i, len(rows), rows[i])
		}
	}
	if Histogram(nil) != "" {
		t.Error("a histogram of nothing")
	}
}
