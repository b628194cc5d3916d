// Package chart draws series of values over time, in panels above each other, as SVG.
package chart

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// A Picture is panels over the same time.
type Picture struct {
	Title  string
	Legend []string // what the first, second, … line of every panel is
	Panels []Panel
}

// A Panel has lines with a unit in common. Its axis begins at zero.
type Panel struct {
	Title string // with the unit
	Lines []Line
}

// A Line is a series of points, in the order of time.
type Line struct{ Points []Point }

// A Point is a value at a time.
type Point struct {
	At    time.Duration
	Value float64
}

const (
	width, height = 800, 140 // of a panel with its titles
	left, right   = 70, 20
	top, bottom   = 30, 10
	columns       = 240 // about so many points of a line are drawn
)

var colours = []string{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b"}

// WriteSVG draws the picture.
func WriteSVG(out io.Writer, p Picture) error {
	var b bytes.Buffer
	total := 40 + len(p.Panels)*height + 30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", width, total)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, total)
	text := func(x, y float64, more, s string) {
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" %s>%s</text>`+"\n", x, y, more, html.EscapeString(s))
	}
	text(left, 20, `font-size="14"`, p.Title)
	for i, name := range slices.Backward(p.Legend) {
		text(float64(width-right-(len(p.Legend)-1-i)*130), 20, fmt.Sprintf(`text-anchor="end" fill="%s"`, colours[i%len(colours)]), name)
	}
	end := time.Nanosecond
	most := make([]float64, len(p.Panels))
	for i, panel := range p.Panels {
		for _, l := range panel.Lines {
			for _, point := range l.Points {
				end, most[i] = max(end, point.At), max(most[i], point.Value)
			}
		}
	}
	x := func(at time.Duration) float64 { return left + (width-left-right)*float64(at)/float64(end) }
	for i, panel := range p.Panels {
		base, step := float64(40+(i+1)*height-bottom), nice(most[i]/3)
		y := func(v float64) float64 { return base - (height-top-bottom)*v/(step*math.Ceil(max(most[i]/step, 1))) }
		text(left, base-height+top+bottom-6, "", panel.Title)
		for v := 0.0; v <= max(most[i], step); v += step {
			fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/>`+"\n", left, y(v), width-right)
			text(left-6, y(v)+4, `text-anchor="end"`, fmt.Sprintf("%.6g", v))
		}
		for j, l := range panel.Lines {
			var points strings.Builder
			for k, n := 0, len(l.Points); k < n; k += 1 + n/columns {
				fmt.Fprintf(&points, "%.1f,%.1f ", x(l.Points[k].At), y(l.Points[k].Value))
			}
			fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" points="%s"/>`+"\n", colours[j%len(colours)], points.String())
		}
	}
	step := max(time.Duration(nice(float64(end)/8)), 1)
	for at := time.Duration(0); at <= end; at += step {
		text(x(at), float64(total-16), `text-anchor="middle"`, at.String())
	}
	b.WriteString("</svg>\n")
	_, err := out.Write(b.Bytes())
	return err
}

// nice returns the least of 1, 2 and 5 times a power of ten that is not less than x.
func nice(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(max(x, 1e-9))))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}
