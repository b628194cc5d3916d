// Package picture draws what was measured: a row for each thing, with a dot for each round, the median with its
// interval, and what an article says.
package picture

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	soak "github.com/threadcall/threadcall/internal/soak/draw"
)

// A Picture is panels above each other.
type Picture struct {
	Title  string
	Panels []Panel
}

// A Panel has rows over one axis of numbers, which is logarithmic if they differ a lot.
type Panel struct {
	Title string // with the unit
	Rows  []Row
}

// A Row is one thing.
type Row struct {
	Name    string
	Group   int // which colour
	Series  measure.Series
	Article float64 // what an article says; zero if it says nothing
}

const (
	width        = 22 * vg.Centimeter
	rowHeight    = 0.62 * vg.Centimeter
	panelMargins = 1.75 * vg.Centimeter // its title and its axis
	footHeight   = 0.3 * vg.Centimeter
	medianWidth  = 2 * vg.Centimeter // the median in digits
)

// WriteSVG draws the picture. Numbers that are not above zero are left out where the axis is logarithmic.
func WriteSVG(out io.Writer, p Picture) error {
	var plots [][]*plot.Plot
	height := soak.TitleHeight + footHeight
	var heights []vg.Length
	for _, panel := range p.Panels {
		if len(panel.Rows) == 0 {
			return fmt.Errorf("picture: nothing to draw in %q of %q", panel.Title, p.Title)
		}
		drawn, err := panel.plot()
		if err != nil {
			return err
		}
		plots = append(plots, []*plot.Plot{drawn})
		heights = append(heights, panelMargins+vg.Length(len(panel.Rows))*rowHeight)
		height += heights[len(heights)-1]
	}
	if len(plots) == 0 {
		return fmt.Errorf("picture: nothing to draw in %q", p.Title)
	}
	return soak.Paint(out, width, height, p.Title, func(whole draw.Canvas) {
		key(whole)
		left := p.namesWidth()
		top := whole.Max.Y - soak.TitleHeight
		for i, row := range plots {
			bottom := top - heights[i]
			area := draw.Canvas{Canvas: whole.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: whole.Min.X + 0.3*vg.Centimeter, Y: bottom + 0.2*vg.Centimeter},
				Max: vg.Point{X: whole.Max.X - medianWidth, Y: top},
			}}
			// The names are the plot's labels, and the axes of all panels begin at the same place.
			own := p.Panels[i].namesWidth()
			row[0].Draw(draw.Crop(area, left-own, 0, 0, 0))
			top = bottom
		}
	})
}

// key tells what the marks mean.
func key(c draw.Canvas) {
	text := soak.Text(9, soak.Black)
	text.XAlign = draw.XRight
	at := vg.Point{X: c.Max.X - medianWidth, Y: c.Max.Y - 0.62*vg.Centimeter}
	for _, mark := range []struct {
		name string
		draw func(at vg.Point)
	}{
		{"the article", func(at vg.Point) { diamond(c, at) }},
		{"median and interval", func(at vg.Point) {
			half := 0.3 * vg.Centimeter
			median(c, at, at.X-half, at.X+half, soak.Colours[0])
		}},
		{"a round", func(at vg.Point) { dot(c, at, soak.Pale(soak.Colours[0])) }},
	} {
		c.FillText(text, at, mark.name)
		at.X -= text.Width(mark.name) + 0.5*vg.Centimeter
		mark.draw(at)
		at.X -= 0.7 * vg.Centimeter
	}
}

func (p Picture) namesWidth() (w vg.Length) {
	for _, panel := range p.Panels {
		w = max(w, panel.namesWidth())
	}
	return w
}

func (p Panel) namesWidth() (w vg.Length) {
	for _, r := range p.Rows {
		w = max(w, soak.Text(9, soak.Black).Width(r.Name))
	}
	return w
}

func (p Panel) plot() (*plot.Plot, error) {
	drawn := plot.New()
	drawn.Title.Text = p.Title
	soak.Style(drawn)
	low, high := p.bounds()
	if high <= 0 {
		return nil, fmt.Errorf("picture: nothing to draw in %q", p.Title)
	}
	if low > 0 && high/low > 20 {
		drawn.X.Scale = plot.LogScale{}
		drawn.X.Tick.Marker = logTicks{}
		drawn.X.Min, drawn.X.Max = low/1.3, high*1.3
	} else {
		drawn.X.Min, drawn.X.Max = 0, high*1.05
		drawn.X.Tick.Marker = linearTicks{}
	}
	names := make([]string, len(p.Rows))
	for i, r := range p.Rows {
		names[len(names)-1-i] = r.Name // the first is at the top
	}
	drawn.NominalY(names...)
	drawn.Y.Min, drawn.Y.Max = -0.6, float64(len(names))-0.4
	drawn.X.Padding, drawn.Y.Padding = 0, vg.Points(6)
	drawn.Add(soak.Grid())
	drawn.Add(rows(p.Rows))
	return drawn, nil
}

// bounds are the least and the largest number.
func (p Panel) bounds() (low, high float64) {
	low = math.Inf(1)
	for _, r := range p.Rows {
		values := slices.Clone(r.Series.Values)
		if r.Article > 0 {
			values = append(values, r.Article)
		}
		for _, v := range values {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// rows draws the marks of rows. The last is at zero of the vertical axis.
type rows []Row

// Plot implements plot.Plotter.
func (rs rows) Plot(c draw.Canvas, p *plot.Plot) {
	horizontal, vertical := p.Transforms(&c)
	for i, r := range rs {
		y := vertical(float64(len(rs) - 1 - i))
		colour := soak.Colours[r.Group%len(soak.Colours)]
		for round, v := range r.Series.Values {
			if v < p.X.Min {
				continue
			}
			offset := vg.Length(float64(round%5)-2) * vg.Points(1.6) // or many would be one
			dot(c, vg.Point{X: horizontal(v), Y: y + offset}, soak.Pale(colour))
		}
		if e := r.Series.Median(); e.Centre >= p.X.Min {
			low, high := e.Low, e.High
			if math.IsInf(low, 0) || math.IsInf(high, 0) {
				low, high = e.Centre, e.Centre // too few rounds
			}
			low, high = max(low, p.X.Min), min(high, p.X.Max)
			median(c, vg.Point{X: horizontal(e.Centre), Y: y}, horizontal(low), horizontal(high), colour)
			c.FillText(soak.Text(9, colour), vg.Point{X: c.Max.X + 0.25*vg.Centimeter, Y: y}, strings.TrimSuffix(paper.Three(e.Centre), ".0"))
		}
		if r.Article > 0 {
			diamond(c, vg.Point{X: horizontal(r.Article), Y: y})
		}
	}
}

var _ plot.Plotter = rows{}

func dot(c draw.Canvas, at vg.Point, colour color.Color) {
	c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: vg.Points(1.8), Shape: draw.CircleGlyph{}}, at)
}

func median(c draw.Canvas, at vg.Point, low, high vg.Length, colour color.Color) {
	line := draw.LineStyle{Color: colour, Width: vg.Points(1.4)}
	c.StrokeLine2(line, low, at.Y, high, at.Y)
	for _, x := range []vg.Length{low, high} {
		c.StrokeLine2(line, x, at.Y-vg.Points(3), x, at.Y+vg.Points(3))
	}
	c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: vg.Points(3.2), Shape: draw.CircleGlyph{}}, at)
}

func diamond(c draw.Canvas, at vg.Point) {
	const r = 4.4
	var p vg.Path
	p.Move(at.Add(vg.Point{X: vg.Points(-r)}))
	p.Line(at.Add(vg.Point{Y: vg.Points(r)}))
	p.Line(at.Add(vg.Point{X: vg.Points(r)}))
	p.Line(at.Add(vg.Point{Y: vg.Points(-r)}))
	p.Close()
	c.SetLineStyle(draw.LineStyle{Color: soak.Black, Width: vg.Points(1.2)})
	c.Stroke(p)
}

// logTicks are at powers of ten, and at 2 and 5 times those if there are few.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	few := high/low < 1e4
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, power)
			if v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 || few && (m == 2 || m == 5) {
				t.Label = number(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// linearTicks begin at zero and are five or so.
type linearTicks struct{}

// Ticks implements plot.Ticker.
func (linearTicks) Ticks(_, high float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10(high/4)))
	for _, m := range []float64{5, 2.5, 2} {
		if m*step <= high/3 {
			step *= m
			break
		}
	}
	for i := 0; float64(i)*step <= high; i++ {
		v := float64(i) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: number(v)})
	}
	return ticks
}

// number writes a number of an axis with commas between thousands.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'g', 6, 64)
	if v >= 1e6 || v < 1e-3 {
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return paper.Thousands(text)
}
