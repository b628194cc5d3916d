package main

import (
	"time"

	"github.com/threadcall/threadcall/internal/soak/draw"
	"github.com/threadcall/threadcall/internal/soak/record"
	"github.com/threadcall/threadcall/internal/soak/trend"
)

// A measure is something of which a process that runs for ever must not hold more and more.
type measure struct {
	name  string
	unit  string  // what values are shown in
	scale float64 // how much of it one unit is
	of    func(record.Sample) float64
	limit float64 // by how many units it may grow while it is judged, whatever the duration
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// The limits are a few times the noise of a run in which nothing leaks. The resident memory has a wide one, because the
// Go runtime and the kernel give and take it in large pieces and do not tell what for.
var measures = []measure{
	{"live heap", "KiB", kib, func(s record.Sample) float64 { return s.Live }, 256},
	{"heap objects", "", 1, func(s record.Sample) float64 { return s.Objects }, 3000},
	{"goroutine stacks", "KiB", kib, func(s record.Sample) float64 { return s.Stacks }, 1024},
	{"goroutines", "", 1, func(s record.Sample) float64 { return s.Goroutines }, 5},
	{"OS threads", "", 1, func(s record.Sample) float64 { return s.Threads }, 5},
	{"resident memory", "MiB", mib, func(s record.Sample) float64 { return s.Resident }, 8},
}

// A drift is what became of a measure, in its units.
type drift struct {
	measure
	first, last float64 // medians of the first and the last third of what is judged
	perHour     float64 // the slope
	growth      float64 // see trend.Trend.Growth
	ok          bool
}

const maxWarmUp = 5 * time.Minute

// warmUp is how much of a run of that length is not judged: pools fill, and the runtime finds out how many threads and
// how much stack it needs.
func warmUp(d time.Duration) time.Duration { return min(d/6, maxWarmUp) }

// floors returns what a measure was after the warm-up, without what comes and goes with the calls under way.
func floors(samples []record.Sample, of func(record.Sample) float64) []trend.Point {
	var points []trend.Point
	for _, s := range samples {
		if s.At >= warmUp(samples[len(samples)-1].At) {
			points = append(points, trend.Point{X: s.At.Seconds(), Y: of(s)})
		}
	}
	return trend.Floors(points)
}

// judge looks at all measures. It returns nothing if there are too few samples.
func judge(samples []record.Sample) (drifts []drift) {
	for _, m := range measures {
		points := floors(samples, func(s record.Sample) float64 { return m.of(s) / m.scale })
		if len(points) < 3 {
			return nil
		}
		end := samples[len(samples)-1].At
		t := trend.Of(points)
		growth := t.Growth((end - warmUp(end)).Seconds())
		drifts = append(drifts, drift{m, t.First, t.Last, t.Slope * 3600, growth, growth <= m.limit})
	}
	return drifts
}

// levels are the first and the last third of what is judged, for the picture.
func levels(samples []record.Sample, of func(record.Sample) float64) []draw.Level {
	points := floors(samples, of)
	n := len(points)
	if n < 3 {
		return nil
	}
	t := trend.Of(points)
	at := func(i int) time.Duration { return time.Duration(points[i].X * float64(time.Second)) }
	return []draw.Level{{From: at(0), To: at(n/3 - 1), Value: t.First}, {From: at(n - n/3), To: at(n - 1), Value: t.Last}}
}
