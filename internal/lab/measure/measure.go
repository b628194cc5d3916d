// Package measure measures what does the same thing in several ways, in turns, so that whatever else the machine does
// happens to all of them.
package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"time"
)

// A Contender is one of the ways.
type Contender struct {
	Name string
	// Open returns what does something n times and says how long that took, and what ends it. It is called for
	// each turn.
	Open func() (run func(n int) time.Duration, end func())
}

// Plain is a contender that needs no preparation.
func Plain(name string, work func(n int)) Contender {
	return Contender{name, func() (func(n int) time.Duration, func()) { return Timed(work), func() {} }}
}

// Timed says how long work takes.
func Timed(work func(n int)) func(n int) time.Duration {
	return func(n int) time.Duration {
		start := time.Now()
		work(n)
		return time.Since(start)
	}
}

// An Extent says how much is measured.
type Extent struct {
	Rounds int           // at least MinRounds
	Turn   time.Duration // that each contender gets in each round
	N      int           // how often in each turn, if it is not zero; then Turn does not count
	Limit  time.Duration // after which no round begins, unless there are fewer than MinRounds; zero for none
}

// MinRounds is with how many rounds a median has an interval of 95 %.
const MinRounds = 6

// Rounds gives each contender a turn in each round, in an order that is drawn anew each time. Before the first round
// each is tried without being measured. It returns a series for each contender, in their order,
// or the error of ctx.
func Rounds(ctx context.Context, contenders []Contender, x Extent, step func(done, all int)) ([]Series, error) {
	series := make([]Series, len(contenders))
	times := make([]int, len(contenders))
	all := (x.Rounds + 1) * len(contenders)
	for i, c := range contenders {
		series[i].Name = c.Name
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		times[i] = c.calibrate(x)
		step(i+1, all)
	}
	start := time.Now()
	for round := range x.Rounds {
		if x.Limit > 0 && round >= MinRounds && time.Since(start) > x.Limit {
			break
		}
		for turn, i := range rand.Perm(len(contenders)) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			series[i].Values = append(series[i].Values, contenders[i].turn(times[i], x))
			step((round+1)*len(contenders)+turn+1, all)
		}
	}
	return series, nil
}

// pieces is in how many pieces a turn is made, so that it ends in time when the machine gets slower.
const pieces = 8

// turn returns how many nanoseconds it takes to do it once. It is done in pieces of n times.
func (c Contender) turn(n int, x Extent) float64 {
	run, end := c.Open()
	defer end()
	took, times := run(n), n
	for x.N == 0 && took < x.Turn {
		took += run(n)
		times += n
	}
	return float64(took) / float64(times)
}

// calibrate returns how often the contender does it in a piece of a turn, or in the whole turn if that is given.
func (c Contender) calibrate(x Extent) int {
	run, end := c.Open()
	defer end()
	if x.N > 0 {
		run(x.N)
		return x.N
	}
	for n := 1; ; n *= 4 {
		if took := run(n); took >= x.Turn/pieces || n > math.MaxInt/4 {
			return max(1, int(float64(n)*float64(x.Turn/pieces)/float64(max(took, 1))))
		}
	}
}
