package host

import "time"

// A sample is what the counters of the system say at a moment. Only differences of two of them mean anything.
type sample struct {
	known bool
	at    time.Time
	own   time.Duration   // CPU time of this process and those of its children that it has waited for
	cpus  map[int]cpuTime // all
	ours  CPUs            // those on which benchmarks run

	throttled time.Duration // by the cgroups that this process is in
	cooled    int
	waited    time.Duration // for which some thread wanted a CPU and had none
	stalled   time.Duration // for which some thread waited for memory
	swapped   int           // pages, in and out
}

// A cpuTime is how a CPU spent its time.
type cpuTime struct{ busy, stolen time.Duration }

// until returns what happened between s and a later sample.
func (s sample) until(later sample) Disturbance {
	d := Disturbance{Known: s.known && later.known, Wall: later.at.Sub(s.at)}
	if !d.Known || d.Wall <= 0 {
		return Disturbance{Wall: d.Wall}
	}
	var busy, stolen time.Duration
	for _, cpu := range later.ours {
		now, before := later.cpus[cpu], s.cpus[cpu]
		busy += max(0, now.busy-before.busy)
		stolen += max(0, now.stolen-before.stolen)
	}
	own := later.own - s.own
	d.CPUs = len(later.ours)
	d.Own = float64(own) / float64(d.Wall)
	d.Others = float64(max(0, busy-own)) / float64(d.Wall)
	if stolen > 0 {
		d.Stolen = float64(stolen) / float64(busy+stolen)
	}
	d.Throttled, d.Cooled = max(0, later.throttled-s.throttled), max(0, later.cooled-s.cooled)
	return d
}

func (m Machine) time() time.Time {
	if m.now != nil {
		return m.now()
	}
	return time.Now()
}
