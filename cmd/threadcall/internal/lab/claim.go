package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// The one rule of the lab.
const rule = "**The rule.** A claim that states a number is *reproduced* if all of the interval found here lies within the interval of the claim, and " +
	"*not reproduced* if all of it lies outside. The interval of the claim is the number with the deviation that the article states with it, or with half " +
	"a unit of its last digit if it states none; a ratio has the intervals of both its numbers; a share of samples has the interval of a binomial " +
	"proportion. A claim that states a direction alone — more, less — has all of that side as its interval, and its verdict is named " +
	"*direction*. In every other case *this run cannot tell*: the interval lies across a limit of the claim's, the machine has fewer CPUs than " +
	"the claim needs, or it was loaded. It was loaded if other processes used more than 5 % of its CPUs, or a quota stopped threads, while the " +
	"section was measured as a whole or in more than a fifth of its seconds, or if a hypervisor took more than 5 % of the time of CPUs that computed right " +
	"before and after; then no claim of the section has another verdict. What is counted and cannot vary, bytes or lines, has an interval of one point. Times are claimed for another machine: they are judged by the same rule."

// A claim is a statement of an article next to what was found.
type claim struct {
	says      string
	claimed   interval
	direction bool // claimed is one side of a limit
	unit      func(float64) string
	found     estimate
	here      string // how found is written, if not with unit
	cpus      int    // that the claim needs
}

// An interval has its bounds.
type interval struct{ low, high float64 }

// is the interval of a claim without a deviation: one that is counted.
func is(x float64) interval { return interval{x, x} }

// within is x, give or take d.
func within(x, d float64) interval { return interval{x - d, x + d} }

// percent is x as benchstat writes it, with its deviation in whole percents.
func percent(x, p float64) interval { return within(x, x*(p+0.5)/100) }

// over is the interval of a ratio.
func (i interval) over(j interval) interval { return interval{i.low / j.high, i.high / j.low} }

// saved is what is saved where the ratio is in i.
func (i interval) saved() interval { return interval{1 - i.high, 1 - i.low} }

// more and less are claims of a direction.
func more(x float64) interval { return interval{math.Nextafter(x, math.Inf(1)), math.Inf(1)} }
func less(x float64) interval { return interval{math.Inf(-1), math.Nextafter(x, math.Inf(-1))} }

type verdict string

const (
	reproduced             verdict = "reproduced"
	notReproduced          verdict = "not reproduced"
	directionReproduced    verdict = "direction reproduced"
	directionNotReproduced verdict = "direction not reproduced"
	cannotTell             verdict = "this run cannot tell"
)

// judge applies the rule.
func (c claim) judge(loaded bool) verdict {
	f := c.found
	yes, no := reproduced, notReproduced
	if c.direction {
		yes, no = directionReproduced, directionNotReproduced
	}
	switch {
	case loaded || c.cpus > runtime.NumCPU() || math.IsNaN(f.low) || math.IsNaN(f.high):
		return cannotTell
	case c.claimed.low <= f.low && f.high <= c.claimed.high:
		return yes
	case f.high < c.claimed.low || c.claimed.high < f.low:
		return no
	}
	return cannotTell
}

// cells are the claim as a row of the table of claims.
func (c claim) cells(loaded bool) []string {
	here := c.here
	if here == "" {
		here = c.found.in(c.unit)
	}
	return []string{c.says, c.wants(), here, string(c.judge(loaded))}
}

// wants writes what the claim's interval is.
func (c claim) wants() string {
	low, high := c.claimed.low, c.claimed.high
	switch {
	case math.IsInf(low, -1):
		return "less than " + c.unit(high)
	case math.IsInf(high, 1):
		return "more than " + c.unit(low)
	case low == high:
		return c.unit(low)
	}
	if middle := (low + high) / 2; high-low < middle/10 && !strings.HasSuffix(c.unit(middle), "%") {
		return c.unit(middle) + " ± " + ui.Digits(100*(high-low)/2/middle) + " %"
	}
	return c.unit(low) + " to " + c.unit(high)
}

// exactly is the estimate of what cannot vary.
func exactly(x float64) estimate { return estimate{x, x, x} }

// in writes the estimate with a unit.
func (e estimate) in(unit func(float64) string) string {
	if e.low == e.high {
		return unit(e.centre)
	}
	return fmt.Sprintf("%s (%s to %s)", unit(e.centre), unit(e.low), unit(e.high))
}

// proportion estimates a share of n samples, by Wilson's interval with a confidence of 95 %.
func proportion(k, n float64) estimate {
	if n == 0 {
		return estimate{math.NaN(), math.NaN(), math.NaN()}
	}
	const z = 1.959964
	p := k / n
	centre, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return estimate{p, max(0, (centre-half)/(1+z*z/n)), min(1, (centre+half)/(1+z*z/n))}
}

// saved is what is saved where the ratio is e.
func (e estimate) saved() estimate { return estimate{1 - e.centre, 1 - e.high, 1 - e.low} }

func (e estimate) interval() interval { return interval{e.low, e.high} }

// Units in which claims are written.
func asTimes(x float64) string  { return number(x) + " times" }
func percents(x float64) string { return number(100*x) + " %" }
func asBytes(x float64) string  { return number(x) + " B" }
func number(x float64) string   { return ui.Number(x) }
