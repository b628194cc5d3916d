package demo

import "strconv"

// digits writes x with three digits, or more before the point.
func digits(x float64) string {
	places := 0
	switch {
	case x < 9.995:
		places = 2
	case x < 99.95:
		places = 1
	}
	return strconv.FormatFloat(x, 'f', places, 64)
}

// A unit is one of time.
type unit struct {
	name string
	ns   float64
}

func unitOf(ns float64) unit {
	switch {
	case ns < 999.5:
		return unit{"ns", 1}
	case ns < 999.5e3:
		return unit{"µs", 1e3}
	}
	return unit{"ms", 1e6}
}

func duration(ns float64) string {
	u := unitOf(ns)
	return digits(ns/u.ns) + " " + u.name
}

// limits writes the ends of s in the unit of its median, which duration shows.
func limits(s Spread) string {
	u := unitOf(s.Median)
	return digits(s.Min/u.ns) + ".." + digits(s.Max/u.ns)
}

// count writes x without a fraction, if that is no more than the runtime allocates now and then by itself.
func count(x float64) string {
	if whole := float64(int(x + 0.5)); x-whole < 0.02*whole+0.02 && whole-x < 0.02*whole+0.02 {
		return strconv.FormatFloat(whole, 'f', 0, 64)
	}
	return digits(x)
}
