// Package draw draws what a soak has recorded: panels above each other, over the same time.
package draw

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Point is a value at a time.
type Point struct {
	At    time.Duration
	Value float64
}

// A Line is a named series of points.
type Line struct {
	Name   string
	Points []Point
	Levels []Level
}

// A Level is a dashed line from one time to another.
type Level struct {
	From, To time.Duration
	Value    float64
}

// A Panel is a plot of lines that have their unit in common.
type Panel struct {
	Title string // with the unit
	Lines []Line
}

// A Picture is panels above each other.
type Picture struct {
	Title  string
	WarmUp time.Duration // shaded
	Legend []string      // what the first, second... line of every panel is, if that is the same in all
	Panels []Panel
}

const (
	width       = 22 * vg.Centimeter
	panelHeight = 3.9 * vg.Centimeter
	titleHeight = TitleHeight
	footHeight  = 0.7 * vg.Centimeter
	columns     = 240 // points of a curve
)

var shade = color.RGBA{0xf2, 0xf2, 0xf2, 0xff}

// WriteSVG draws the picture.
func WriteSVG(out io.Writer, p Picture) error {
	if len(p.Panels) == 0 {
		return fmt.Errorf("draw: a picture without panels")
	}
	axis := newTimeAxis(p.end())
	rows := make([][]*plot.Plot, len(p.Panels))
	for i, panel := range p.Panels {
		drawn, err := p.panel(panel, axis)
		if err != nil {
			return err
		}
		if i == len(p.Panels)-1 {
			drawn.X.Label.Text = axis.label
		} else {
			drawn.X.Tick.Marker = bare{axis}
		}
		rows[i] = []*plot.Plot{drawn}
	}
	height := titleHeight + footHeight + vg.Length(len(p.Panels))*panelHeight
	return Paint(out, width, height, p.Title, func(whole draw.Canvas) {
		legend(whole, p.Legend)
		body := draw.Crop(whole, 0.3*vg.Centimeter, -0.6*vg.Centimeter, 0.2*vg.Centimeter, -titleHeight)
		tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadY: 0.35 * vg.Centimeter}
		for i, canvas := range plot.Align(rows, tiles, body) {
			rows[i][0].Draw(canvas[0])
		}
	})
}

// legend writes the names beside the title.
func legend(c draw.Canvas, names []string) {
	const sample, gap = 0.7 * vg.Centimeter, 0.2 * vg.Centimeter
	style := Text(9, Black)
	style.XAlign = draw.XRight
	at := vg.Point{X: c.Max.X - 0.6*vg.Centimeter, Y: c.Max.Y - 0.62*vg.Centimeter}
	for i, name := range slices.Backward(names) {
		c.FillText(style, at, name)
		at.X -= style.Width(name) + gap
		line := draw.LineStyle{Color: Colours[i%len(Colours)], Width: vg.Points(1.6)}
		c.StrokeLine2(line, at.X-sample, at.Y, at.X, at.Y)
		at.X -= sample + 2*gap
	}
}

func (p Picture) end() (end time.Duration) {
	for _, panel := range p.Panels {
		for _, l := range panel.Lines {
			if n := len(l.Points); n > 0 {
				end = max(end, l.Points[n-1].At)
			}
		}
	}
	return end
}

func (p Picture) panel(panel Panel, axis timeAxis) (*plot.Plot, error) {
	drawn := plot.New()
	drawn.Title.Text = panel.Title
	drawn.X.Min, drawn.X.Max = 0, axis.max
	drawn.X.Tick.Marker = axis
	drawn.X.Padding, drawn.Y.Padding = 0, 0
	Style(drawn)

	top := 0.0
	for _, l := range panel.Lines {
		for _, b := range bandOf(l.Points) {
			top = max(top, b.high)
		}
	}
	ticks := newValueAxis(top)
	drawn.Y.Min, drawn.Y.Max = 0, ticks.max
	drawn.Y.Tick.Marker = ticks

	warm, err := plotter.NewPolygon(plotter.XYs{
		{X: 0, Y: 0}, {X: axis.x(p.WarmUp), Y: 0}, {X: axis.x(p.WarmUp), Y: ticks.max}, {X: 0, Y: ticks.max}})
	if err != nil {
		return nil, err
	}
	warm.Color, warm.LineStyle.Width = shade, 0
	drawn.Add(warm, Grid())

	for i, l := range panel.Lines {
		if err := addLine(drawn, l, Colours[i%len(Colours)], axis, len(panel.Lines) > 1); err != nil {
			return nil, err
		}
	}
	drawn.Legend.Top = true
	drawn.Legend.TextStyle.Font.Size = 9
	drawn.Legend.YOffs = vg.Points(16) // beside the title
	return drawn, nil
}

// addLine draws the median of what each column of the picture stands for, on a band from the least to the most.
func addLine(drawn *plot.Plot, l Line, c color.RGBA, axis timeAxis, named bool) error {
	bands := bandOf(l.Points)
	if len(bands) == 0 {
		return nil
	}
	var outline, middle plotter.XYs
	for _, b := range bands {
		outline = append(outline, plotter.XY{X: axis.x(b.at), Y: b.high})
		middle = append(middle, plotter.XY{X: axis.x(b.at), Y: b.median})
	}
	for _, b := range slices.Backward(bands) {
		outline = append(outline, plotter.XY{X: axis.x(b.at), Y: b.low})
	}
	area, err := plotter.NewPolygon(outline)
	if err != nil {
		return err
	}
	area.Color, area.LineStyle.Width = Pale(c), 0
	curve, err := plotter.NewLine(middle)
	if err != nil {
		return err
	}
	curve.Color, curve.Width = c, vg.Points(1.1)
	drawn.Add(area, curve)
	if named && l.Name != "" {
		drawn.Legend.Add(l.Name, curve)
	}
	for _, v := range l.Levels {
		line, err := plotter.NewLine(plotter.XYs{{X: axis.x(v.From), Y: v.Value}, {X: axis.x(v.To), Y: v.Value}})
		if err != nil {
			return err
		}
		line.Color, line.Width = Black, vg.Points(1)
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		drawn.Add(line)
	}
	return nil
}

// A band is what a column of the picture stands for.
type band struct {
	at                time.Duration
	low, median, high float64
}

func bandOf(points []Point) (bands []band) {
	n := min(columns, len(points))
	for i := range n {
		group := points[i*len(points)/n : (i+1)*len(points)/n]
		values := sorted(group)
		bands = append(bands, band{group[len(group)/2].At, values[0], values[len(values)/2], values[len(values)-1]})
	}
	return bands
}

func sorted(points []Point) []float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Value
	}
	slices.Sort(values)
	return values
}

// nice returns the least of 1, 2, 2.5 and 5 times a power of ten that is not less than x.
func nice(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}
