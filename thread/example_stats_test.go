package thread_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"log/slog"
	"os"
	"runtime/metrics"
	"runtime/pprof"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func ExampleThread_Stats() {
	t := thread.New()
	defer t.Terminate()
	before := t.Stats() // from now on all is counted
	for range 100 {
		t.Call(func() {})
	}
	t.Go(func() {})
	t.Call(func() {})
	s := t.Stats()
	fmt.Println(s.Calls, "calls,", s.Posts, "post,", s.Queued, "queued")
	waits := s.Waits.Sub(before.Waits) // of the interval
	fmt.Println(waits.Count, "waits, half of them short:", waits.Quantile(0.5) < time.Second)
	// Output:
	// 101 calls, 1 post, 0 queued
	// 102 waits, half of them short: true
}

// Package expvar publishes what a function returns: expvar.Publish("gl", gl) shows it on /debug/vars.
func ExampleThread_Stats_expvar() {
	t := thread.New()
	defer t.Terminate()
	gl := expvar.Func(func() any {
		s := t.Stats()
		return map[string]any{"queued": s.Queued, "peak": s.PeakQueued, "calls": s.Calls, "running": s.Running.Seconds(),
			"wait_p99": s.Waits.Quantile(0.99).Seconds(), "run_p99": s.Runs.Quantile(0.99).Seconds()}
	})

	var got struct{ Calls, Peak uint64 }
	_ = gl.String() // the first time begins to count
	t.Call(func() {})
	fmt.Println(json.Unmarshal([]byte(gl.String()), &got), got)
	// Output: <nil> {1 1}
}

// What can take a histogram of package runtime/metrics can take one of a thread, in seconds.
func ExampleHistogram_runtimeMetrics() {
	t := thread.New()
	defer t.Terminate()
	t.Stats() // begins to count
	t.Call(func() {})

	waits := t.Stats().Waits
	h := metrics.Float64Histogram{Counts: waits.Buckets[:]}
	for i := range len(h.Counts) + 1 {
		h.Buckets = append(h.Buckets, waits.Bound(i).Seconds())
	}

	n := uint64(0)
	for i, count := range h.Counts {
		if n += count; count > 0 && h.Buckets[i] >= h.Buckets[i+1] {
			fmt.Println("an empty bucket counts")
		}
	}
	fmt.Println(n, len(h.Counts), len(h.Buckets))
	// Output: 1 122 123
}

// OpenTelemetry asks for values by callbacks, as here, in which meter is a metric.Meter and o a metric.Observer:
//
//	queued, _ := meter.Int64ObservableGauge("thread.queued")
//	calls, _ := meter.Int64ObservableCounter("thread.calls")
//	meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
//		s := t.Stats()
//		o.ObserveInt64(queued, int64(s.Queued))
//		o.ObserveInt64(calls, int64(s.Calls))
//		return nil
//	}, queued, calls)
//
// A Producer of its package sdk/metric returns histograms that something else counts. The point of one is, with a time like that of the
// first Stats as start:
//
//	point := metricdata.HistogramDataPoint[float64]{StartTime: start, Time: time.Now(), Count: h.Count, Sum: h.Sum.Seconds(),
//		Bounds: bounds(h), BucketCounts: h.Buckets[:]}
//
// whose bounds lie between the buckets, as this example makes them.
func ExampleHistogram_openTelemetry() {
	bounds := func(h thread.Histogram) (bounds []float64) {
		for i := range len(h.Buckets) - 1 {
			bounds = append(bounds, h.Bound(i+1).Seconds())
		}
		return bounds
	}
	var h thread.Histogram
	fmt.Println(len(bounds(h)), len(h.Buckets), bounds(h)[0])
	// Output: 121 122 6.4e-08
}

// The samples of a CPU profile that are taken while f runs have the label request=42, on the thread as in the caller.
func ExampleThread_CallContext_labels() {
	t := thread.New()
	defer t.Terminate()
	pprof.Do(context.Background(), pprof.Labels("request", "42"), func(ctx context.Context) {
		fmt.Println(t.CallContext(ctx, func() {}))
	})
	// Output: <nil>
}

// Package slog writes the name and number of the thread, for how long the function has run, and where it is.
func ExampleThread_OnSlowCall_slog() {
	leaveOut := func(groups []string, a slog.Attr) slog.Attr { // what differs from run to run
		if len(groups) == 0 && a.Key == slog.TimeKey || len(groups) > 0 && a.Key != "name" {
			return slog.Attr{}
		}
		return a
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: leaveOut}))

	t := thread.New(thread.WithName("gl"))
	defer t.Terminate()
	reported := make(chan bool)
	t.OnSlowCall(50*time.Millisecond, func(s thread.SlowCall) {
		log.Warn("a function is slow", "call", s)
		close(reported)
	})
	t.Call(func() { <-reported })
	// Output: level=WARN msg="a function is slow" call.name=gl
}
