package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A figure has a point for each subject of each load, in one unit.
type figure struct {
	file, title, unit string
	loads             *regexp.Regexp
}

var (
	quiet   = regexp.MustCompile(`^Phase/`)
	crowded = regexp.MustCompile(`^Crowded/`)
)

var figures = []figure{
	{"speed-p50.svg", "Half of the calls take at most (p50)", "p50-ns", quiet},
	{"speed-p99.svg", "99 of 100 calls take at most (p99)", "p99-ns", quiet},
	{"speed-cpu.svg", "CPU time of the process for a call, its work included", "cpu-ns/op", quiet},
	{"speed-late.svg", "Another goroutine's Sleep is late by (p90)", "p90-late-ns", quiet},
	{"speed-crowded.svg", "Next to two processes that compute: a call in the mean", "mean-ns",
		crowded},
}

const style = `
<style>
:root { --ink: #1f2328; --faint: #d1d9e0;
	--main: #0969da; --own: #1a7f37; --channel: #bc4c00; --pair: #8c959f }
@media (prefers-color-scheme: dark) {
	:root { --ink: #e6edf3; --faint: #3d444d;
		--main: #4493f8; --own: #3fb950; --channel: #f0883e; --pair: #9198a1 }
}
text { font: 13px Liberation Sans, Arial, Helvetica, sans-serif; fill: var(--ink) }
path { stroke-width: 1.5 }
.end { text-anchor: end }
.middle { text-anchor: middle }
.grid { stroke: var(--faint); stroke-width: 0.5 }
</style>
`

var subjects = []struct{ name, text, variable, shape string }{
	{"reference", "channel", "channel", "m-4-4h8v8h-8z"},
	{"threadcall", "main thread", "main", "m-4.5 0a4.5 4.5 0 0 1 9 0a4.5 4.5 0 0 1-9 0z"},
	{"thread", "own thread", "own", "m0-5l5 8.5h-10z"},
	{"spinning", "spinning pair", "pair", "m-5 0h10m-5-5v10"},
	{name: "bound", text: "lower bound"}, // of benchmarks, which are not drawn
}

// Of the picture, in pixels.
const (
	width, left, right = 900, 260, 24 // of which the names of loads, and what is empty
	top, row, bottom   = 64, 22, 28   // title and legend, a load, the scale
)

// draw returns a picture with a row for each load.
func (m *measured) draw(f figure) []byte {
	var loads []string
	low, high := math.Inf(1), 1.0
	for _, load := range m.Loads {
		if !f.loads.MatchString(load) {
			continue
		}
		loads = append(loads, load)
		for _, s := range subjects {
			if v := m.median(load, s.name, f.unit); v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	low, high = low/1.5, high*1.2
	x := func(v float64) float64 {
		return left + (width-left-right)*math.Log(v/low)/math.Log(high/low)
	}
	y := func(i int) int { return top + row*i + row/2 }
	foot := top + row*len(loads)

	var b bytes.Buffer
	text := func(x float64, y int, class, text string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" class="%s">%s</text>`+"\n", x, y, class,
			html.EscapeString(text))
	}
	line := func(x1, y1, x2, y2 float64) {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %.1fL%.1f %.1f"/>`+"\n", x1, y1, x2, y2)
	}
	point := func(x float64, y, subject int) {
		s := subjects[subject]
		fmt.Fprintf(&b, `<path d="M%.1f %d%s" fill="var(--%s)" stroke="var(--%[4]s)"/>`+"\n", x, y,
			s.shape, s.variable)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" viewBox="0 0 %[1]d %d">%s`,
		width, foot+bottom, style)
	text((left+width-right)/2, 20, "middle", f.title)
	for _, v := range ticks(low, high) {
		line(x(v), top, x(v), float64(foot))
		text(x(v), foot+18, "middle", time.Duration(v).String())
	}
	for i, load := range loads {
		line(left, float64(y(i)), width-right, float64(y(i)))
		text(left-10, y(i)+4, "end", strings.TrimSuffix(label(load), ", crowded"))
	}
	for k, s := range subjects {
		drawn := false
		for i, load := range loads {
			if v := m.median(load, s.name, f.unit); v > 0 {
				point(x(v), y(i), k)
				drawn = true
			}
		}
		if drawn {
			legend := left + 150*float64(k)
			point(legend, 44, k)
			text(legend+10, 48, "start", s.text)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// ticks are the powers of ten, and twice and five times those on a short axis.
func ticks(low, high float64) (all []float64) {
	for power := 1.0; power <= high; power *= 10 {
		all = append(all, power)
		if high < 1000*low {
			all = append(all, 2*power, 5*power)
		}
	}
	return slices.DeleteFunc(all, func(v float64) bool { return v < low || v > high })
}
