package trace

import "time"

// A population counts goroutines over time. Those that were there when the trace began become known one after the
// other, the sleeping ones not before the end of the first generation; so they are added to all numbers in the end.
type population struct {
	before           uint64 // the trace began, some were there
	news, gone       uint64
	difference, most int64
	over             series
	system           uint64
}

func (p *population) found() { p.before++ }

func (p *population) created(now time.Duration) {
	p.news++
	p.change(now, 1)
}

func (p *population) ended(now time.Duration) {
	p.gone++
	p.change(now, -1)
}

func (p *population) change(now time.Duration, by int64) {
	p.difference += by
	p.most = max(p.most, p.difference)
	p.over.add(now, float64(p.difference))
}

func (s *scheduler) goroutines(end time.Duration) Goroutines {
	p := &s.population
	return Goroutines{
		Existing: p.over.result(end, float64(p.before)),
		First:    p.before,
		Peak:     p.before + uint64(p.most),
		Last:     uint64(int64(p.before) + p.difference),
		Created:  p.news,
		Ended:    p.gone,
		System:   p.system,
	}
}
