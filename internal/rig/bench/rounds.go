package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"time"
)

// A Contender is one of several ways to do the same thing. It is called for each sample, and
// returns what does it n times and how long that took, and what ends it.
type Contender func() (run func(n int) time.Duration, end func())

// Timed is a contender that needs no preparation.
func Timed(work func(n int)) Contender {
	return func() (func(int) time.Duration, func()) {
		return func(n int) time.Duration {
			start := time.Now()
			work(n)
			return time.Since(start)
		}, nop
	}
}

// Calling is a contender that calls a Subject in a closed loop, as [Hot].
func Calling(open func() (s Subject, end func())) Contender {
	return func() (func(int) time.Duration, func()) {
		s, end := open()
		s.Call(nop) // it is served
		return total(func(n int) Result { return Hot(s, n) }), end
	}
}

// Direct is a contender that calls an empty function in place.
func Direct() (func(int) time.Duration, func()) {
	return total(func(n int) Result { return indirect(n, nop) }), nop
}

// Bounded is a contender that does what [Bound] does. It is nil where that cannot be done.
func Bounded() Contender {
	if _, ok := Bound(1); !ok {
		return nil
	}
	return func() (func(int) time.Duration, func()) {
		return total(func(n int) Result { r, _ := Bound(n); return r }), nop
	}
}

// total returns the time of all operations of a measurement.
func total(measure func(n int) Result) func(n int) time.Duration {
	return func(n int) time.Duration {
		r := measure(n)
		return time.Duration(r.Time * float64(r.Ops))
	}
}

// A Plan says how much Rounds measures.
type Plan struct {
	Rounds int
	Sample time.Duration // of each contender in each round
	N      int           // operations of each sample, if it is not zero; then Sample does not count
	// after which no round begins, unless there are fewer than Least; zero for none
	Limit time.Duration
	Least int
}

// Rounds measures each contender in each round, interleaved in an order that is drawn anew each
// time, so that whatever else the machine does affects all of them. Before the first round each is
// tried without being measured. It returns nanoseconds for each operation, by contender and round,
// or the error of ctx. It calls step after each sample.
func Rounds(ctx context.Context, contenders []Contender, p Plan,
	step func(done, all int)) ([][]float64, error) {
	series := make([][]float64, len(contenders))
	samples := make([]int, len(contenders))
	all := (p.Rounds + 1) * len(contenders)
	for i, c := range contenders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		samples[i] = c.calibrate(p)
		step(i+1, all)
	}
	start := time.Now()
	for round := range p.Rounds {
		if p.Limit > 0 && round >= p.Least && time.Since(start) > p.Limit {
			break
		}
		for n, i := range rand.Perm(len(contenders)) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			series[i] = append(series[i], contenders[i].sample(samples[i]))
			step((round+1)*len(contenders)+n+1, all)
		}
	}
	return series, nil
}

// sample returns the nanoseconds of one operation.
func (c Contender) sample(n int) float64 {
	run, end := c()
	defer end()
	return float64(run(n)) / float64(n)
}

// calibrate returns how many operations a sample has.
func (c Contender) calibrate(p Plan) int {
	run, end := c()
	defer end()
	if p.N > 0 {
		run(p.N)
		return p.N
	}
	for n := 1; ; n *= 4 {
		if took := run(n); took >= p.Sample/8 || n > math.MaxInt/4 {
			return max(1, int(float64(n)*float64(p.Sample)/float64(max(took, 1))))
		}
	}
}
