package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

type table struct {
	About string `json:"about"`
	Rows  []row  `json:"rows"`
}

const legend = `
Times are medians of the rounds, for one operation: a call; for burst and neighbours 200 of them; for busy a pause of
5 ms and a call. p99 is over all rounds, and of busy's calls alone.

ratio, cpu        threadcall to reference: time, and computing of the whole process; the median of the rounds' ratios
spread            the least and the greatest of those ratios
hot, to floor     two threads that hand one word to and fro, instead of the reference
nested, to plain  a plain call of a function value, instead of the reference, which deadlocks
busy, lost        how much less the others computed because of the calls
goal              what the ratio must not exceed (and what to be proud of)
even              1 is the goal; some rounds met it, but most did not
`

func (t table) print(w io.Writer) error {
	const format = "%-16s %9s %10s %6s  %-13s %6s %7s %7s  %-20s %s\n"
	_, err := fmt.Fprintf(w, "\n%s\n\n"+format, t.About,
		"pattern", "reference", "threadcall", "ratio", "spread", "cpu", "p99 ref", "p99", "goal", "result")
	for _, r := range t.Rows {
		value, spread := duration, ""
		if r.share {
			value = percent
			spread = span(percent, slices.Min(r.Threadcall), slices.Max(r.Threadcall))
		} else {
			spread = span(fraction, r.Ratio.Least, r.Ratio.Most)
		}
		if err == nil {
			_, err = fmt.Fprintf(w, format, r.Pattern, value(middle(r.Reference)), value(middle(r.Threadcall)),
				fraction(r.Ratio.Median), spread, fraction(r.CPU.Median), duration(r.ReferenceP99), duration(r.ThreadcallP99),
				r.Goal, r.Result)
		}
	}
	if err == nil {
		_, err = io.WriteString(w, legend)
	}
	return err
}

func span(form func(float64) string, least, most float64) string {
	return form(least) + ".." + form(most)
}

// duration has three digits; none of nothing.
func duration(ns float64) string {
	if ns == 0 {
		return ""
	}
	unit := "ns"
	for _, u := range []string{"µs", "ms", "s"} {
		if ns < 999.5 {
			break
		}
		ns, unit = ns/1000, u
	}
	return number(ns, 3) + unit
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// fraction writes small ratios as 1/x.
func fraction(x float64) string {
	switch {
	case x == 0:
		return ""
	case x < 0.5:
		return "1/" + number(1/x, 2)
	}
	return number(x, 3)
}

// number writes x with so many digits, but none of the integer part is left out.
func number(x float64, digits int) string {
	if x == 0 {
		return "0"
	}
	before := int(math.Floor(math.Log10(x))) + 1
	return fmt.Sprintf("%.*f", max(0, digits-max(before, 1)), x)
}
