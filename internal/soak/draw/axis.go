package draw

import (
	"math"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
)

// A timeAxis counts in minutes, or in seconds if there are few.
type timeAxis struct {
	unit  time.Duration
	label string
	max   float64
	step  float64
}

func newTimeAxis(end time.Duration) timeAxis {
	a := timeAxis{unit: time.Second, label: "seconds"}
	if end >= 3*time.Minute {
		a.unit, a.label = time.Minute, "minutes"
	}
	a.max = max(a.x(end), 1e-9)
	a.step = nice(a.max / 12)
	if a.unit == time.Minute { // as clocks have them
		for _, step := range []float64{0.5, 1, 2, 5, 10, 15, 30, 60} {
			if a.step = step; a.max/step <= 12 {
				break
			}
		}
	}
	return a
}

func (a timeAxis) x(at time.Duration) float64 { return float64(at) / float64(a.unit) }

// Ticks implements plot.Ticker.
func (a timeAxis) Ticks(low, high float64) []plot.Tick { return ticks(a.step, low, high) }

// A bare axis has marks without numbers.
type bare struct{ timeAxis }

func (a bare) Ticks(low, high float64) []plot.Tick {
	marks := a.timeAxis.Ticks(low, high)
	for i := range marks {
		marks[i].Label = " " // without a label it would be a minor mark
	}
	return marks
}

// A valueAxis begins at zero.
type valueAxis struct{ max, step float64 }

func newValueAxis(top float64) valueAxis {
	step := nice(max(top, 1e-9) * 1.05 / 4)
	return valueAxis{max: step * math.Ceil(max(top, 1e-9)*1.02/step), step: step}
}

// Ticks implements plot.Ticker.
func (a valueAxis) Ticks(low, high float64) []plot.Tick { return ticks(a.step, low, high) }

func ticks(step, low, high float64) (marks []plot.Tick) {
	for i := 0; ; i++ {
		v := float64(i) * step
		if v > high*(1+1e-9) {
			return marks
		}
		if v >= low {
			marks = append(marks, plot.Tick{Value: v, Label: grouped(v)})
		}
	}
}

// grouped writes a number with a comma between thousands.
func grouped(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if len(text) > 8 && strings.Contains(text, ".") {
		text = strconv.FormatFloat(v, 'g', 4, 64)
	}
	whole, fraction, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		return whole + "." + fraction
	}
	return whole
}
