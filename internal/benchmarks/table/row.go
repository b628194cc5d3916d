package main

import (
	"slices"
	"strings"

	"github.com/threadcall/threadcall/internal/workload"
)

// A row is a comparison with its outcome. Times are in nanoseconds.
type row struct {
	Pattern    string    `json:"pattern"`
	Reference  []float64 `json:"reference"` // round by round, or of the floor
	Threadcall []float64 `json:"threadcall"`
	Ratio      ratio     `json:"ratio"` // of threadcall to reference, as are the following
	CPU        ratio     `json:"cpu"`
	P99        ratio     `json:"p99"`

	ReferenceP99  float64 `json:"referenceP99"` // of all rounds together
	ThreadcallP99 float64 `json:"threadcallP99"`

	Goal   string `json:"goal"`
	Result string `json:"result"`

	share bool // what is compared is not a time
}

// A ratio has the median of the rounds (of P99: that of all rounds together), the least and the greatest. It is zero if
// there is nothing to compare.
type ratio struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// row is false if the peer could not be measured.
func (c comparison) row(s samples) (row, bool) {
	ours, peers := s.threadcall, s.reference
	if c.peer == theFloor {
		peers = s.floor
	}
	if len(peers) == 0 {
		return row{}, false
	}
	value := c.value
	if value == nil {
		value = func(r workload.Result) float64 { return r.Time }
	}
	r := row{Pattern: c.name, Goal: c.goal, share: c.value != nil}
	r.Threadcall, r.Reference = each(ours, value), each(peers, value)
	if !r.share {
		r.Ratio = compare(ours, peers, value)
		if c.peer == theReference {
			r.CPU = compare(ours, peers, func(r workload.Result) float64 { return r.CPU })
			r.P99 = compare(ours, peers, workload.Result.P99)
			if r.ThreadcallP99, r.ReferenceP99 = p99(ours), p99(peers); r.ReferenceP99 > 0 {
				r.P99.Median = r.ThreadcallP99 / r.ReferenceP99 // one round has too few for one in a hundred
			}
		}
	}
	r.Result = c.judge(r)
	return r, true
}

func (c comparison) judge(r row) string {
	var missed []string
	even := false
	limit := func(what string, x ratio, limit float64) {
		switch {
		case limit == 0 || x.Median == 0 || x.Median <= limit:
		case limit == 1 && x.Least <= 1:
			even = true
		default:
			missed = append(missed, what)
		}
	}
	limit("time", r.Ratio, c.ratio)
	limit("cpu", r.CPU, c.cpu)
	limit("p99", r.P99, c.p99)
	if c.most > 0 && middle(r.Threadcall) > c.most {
		missed = append(missed, "value")
	}
	switch {
	case missed != nil:
		return "missed: " + strings.Join(missed, ", ")
	case even:
		return "even"
	case c.proud > 0 && r.Ratio.Median <= c.proud:
		return "proud"
	}
	return "met"
}

func each(rs []workload.Result, value func(workload.Result) float64) (vs []float64) {
	for _, r := range rs {
		vs = append(vs, value(r))
	}
	return vs
}

// compare divides round by round.
func compare(ours, peers []workload.Result, value func(workload.Result) float64) ratio {
	var qs []float64
	for i := range ours {
		if p := value(peers[i]); p > 0 {
			qs = append(qs, value(ours[i])/p)
		}
	}
	if qs == nil {
		return ratio{}
	}
	return ratio{middle(qs), slices.Min(qs), slices.Max(qs)}
}

// p99 is that of the operations of all rounds.
func p99(rs []workload.Result) float64 {
	var all workload.Result
	for _, r := range rs {
		all.Latencies = append(all.Latencies, r.Latencies...)
	}
	slices.Sort(all.Latencies)
	return all.P99()
}

// middle returns the median.
func middle(vs []float64) float64 {
	vs = slices.Sorted(slices.Values(vs))
	return (vs[(len(vs)-1)/2] + vs[len(vs)/2]) / 2
}
