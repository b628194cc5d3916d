package demo

import "slices"

// A Row is one way to make a call, served in one place.
type Row struct {
	Name    string   `json:"name"`
	Served  Place    `json:"served_by"`
	Missing string   `json:"missing,omitempty"` // why there are no samples
	Time    Spread   `json:"ns_per_call,omitzero"`
	Bytes   *Spread  `json:"bytes_per_call,omitempty"` // nil where memory has no meaning
	Allocs  *Spread  `json:"allocs_per_call,omitempty"`
	Samples []Sample `json:"samples"` // one a round, in the order of the rounds
}

// A Place is who runs the functions of a row.
type Place string

const (
	Unlocked   Place = "an unlocked goroutine"
	MainThread Place = "the main thread"
	TwoThreads Place = "two threads" // which call nothing
)

// A Sample is what one round measured.
type Sample struct {
	Calls int     `json:"calls"` // that were timed
	Time  float64 `json:"ns_per_call"`
	*Memory
}

// Memory is what calls allocate, be it in the caller's goroutine or elsewhere.
type Memory struct {
	Bytes  float64 `json:"bytes_per_call"`
	Allocs float64 `json:"allocs_per_call"`
}

// A Spread is what the samples of a row have in common.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// spread sums up at least one value.
func spread(values []float64) Spread {
	v := slices.Sorted(slices.Values(values))
	low, high := v[(len(v)-1)/2], v[len(v)/2]
	return Spread{(low + high) / 2, v[0], v[len(v)-1]}
}

// sumUp computes the spreads of what there are samples of.
func (r *Row) sumUp() {
	if len(r.Samples) == 0 {
		return
	}
	r.Time = spread(r.each(func(s Sample) float64 { return s.Time }))
	if r.Samples[0].Memory != nil {
		r.Bytes = new(spread(r.each(func(s Sample) float64 { return s.Bytes })))
		r.Allocs = new(spread(r.each(func(s Sample) float64 { return s.Allocs })))
	}
}

func (r *Row) each(of func(Sample) float64) (values []float64) {
	for _, s := range r.Samples {
		values = append(values, of(s))
	}
	return values
}
