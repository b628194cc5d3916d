package main

import (
	"math"
	"math/rand/v2"
)

// A machine returns how many times as long as on a quiet machine the next measurement takes.
type machine func() float64

// machines are what benchmarks run on. All have 1 % of normal noise, except that with heavy tails.
var machines = []struct {
	name, about string
	make        func(*rand.Rand) machine
}{
	{"quiet", "nothing else", func(r *rand.Rand) machine {
		return func() float64 { return math.Exp(0.01 * r.NormFloat64()) }
	}},
	{"drift", "a random walk, 1 % a measurement", func(r *rand.Rand) machine {
		at := 0.0
		return func() float64 {
			at += 0.01 * r.NormFloat64()
			return math.Exp(at + 0.01*r.NormFloat64())
		}
	}},
	{"heavy tails", "Student's t with two degrees of freedom, 1 %", func(r *rand.Rand) machine {
		return func() float64 {
			t := r.NormFloat64() / math.Sqrt(r.ExpFloat64()) // chi squared with 2 degrees, halved, is exponential
			return math.Exp(0.01 * t)
		}
	}},
	{"two modes", "each measurement takes 8 % longer by the toss of a coin", func(r *rand.Rand) machine {
		return func() float64 { return math.Exp(0.08*float64(r.IntN(2)) + 0.01*r.NormFloat64()) }
	}},
	{"load comes and goes", "60 % slower a third of the time, for six measurements on average", func(r *rand.Rand) machine {
		loaded := r.IntN(3) == 0
		return func() float64 {
			if loaded {
				loaded = r.IntN(6) > 0
			} else {
				loaded = r.IntN(12) == 0
			}
			x := math.Exp(0.01 * r.NormFloat64())
			if loaded {
				x *= 1 + 0.6*(0.8+0.4*r.Float64())
			}
			return x
		}
	}},
	{"spikes", "one measurement in eight takes longer, by 20 % on average", func(r *rand.Rand) machine {
		return func() float64 {
			x := math.Exp(0.01 * r.NormFloat64())
			if r.IntN(8) == 0 {
				x *= 1 + 0.2*r.ExpFloat64()
			}
			return x
		}
	}},
	{"regimes", "50 % slower half of the time, for a hundred measurements on average", func(r *rand.Rand) machine {
		slow := r.IntN(2) == 0
		return func() float64 {
			if r.IntN(100) == 0 {
				slow = !slow
			}
			x := math.Exp(0.01 * r.NormFloat64())
			if slow {
				x *= 1.5
			}
			return x
		}
	}},
	{"the second is slower", "the second measurement of each round takes 5 % longer", func(r *rand.Rand) machine {
		second := true
		return func() float64 {
			second = !second
			x := math.Exp(0.01 * r.NormFloat64())
			if second {
				x *= 1.05
			}
			return x
		}
	}},
}
