package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
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
	{"speed-mean.svg", "A call in the mean", "mean-ns", quiet},
	{"speed-p99.svg", "99 of 100 calls take at most (p99)", "p99-ns", quiet},
	{"speed-cpu.svg", "CPU time of the process for a call, its work included", "cpu-ns/op", quiet},
	{"speed-late.svg", "Another goroutine's Sleep is late by (p90)", "p90-late-ns", quiet},
	{"speed-crowded.svg", "Next to two processes that compute: a call in the mean", "mean-ns",
		crowded},
}

// The colours are replaced by those of the reader's mode, see style.
var (
	ink   = color.RGBA{1, 1, 1, 255}
	faint = color.RGBA{2, 2, 2, 255}
)

const width = 680

//go:embed style.html
var style string

var subjects = []struct {
	name, text, variable string
	color                color.RGBA
	shape                draw.GlyphDrawer
}{
	{"reference", "channel", "channel", color.RGBA{3, 3, 3, 255}, draw.BoxGlyph{}},
	{"threadcall", "main thread", "main", color.RGBA{4, 4, 4, 255}, draw.CircleGlyph{}},
	{"thread", "own thread", "own", color.RGBA{5, 5, 5, 255}, draw.PyramidGlyph{}},
	{"spinning", "spinning pair", "pair", color.RGBA{6, 6, 6, 255}, draw.CrossGlyph{}},
	{name: "bound", text: "lower bound"}, // of benchmarks, which are not drawn
}

// draw returns a picture with a row for each load.
func (m *measured) draw(f figure) ([]byte, error) {
	var names []string
	for _, load := range m.Loads {
		if f.loads.MatchString(load) {
			names = append(names, load)
		}
	}
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.Title.TextStyle.Color = f.title, ink
	p.Title.Padding = 6
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(ticks)
	p.X.Label.Text, p.X.Label.TextStyle.Color = "logarithmic scale", ink
	p.X.Label.TextStyle.Font.Size, p.X.Label.Padding = 10, 5
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color, a.Tick.Label.Color = ink, ink, ink
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faint, faint
	p.Add(grid)
	labels := make([]string, len(names))
	for i, load := range names {
		labels[len(names)-1-i] = strings.TrimSuffix(label(load), ", crowded") // from the top
	}
	p.NominalY(labels...)
	p.Y.LineStyle.Width, p.Y.Tick.Length = 0, 0
	canvas := vgsvg.New(vg.Points(width), vg.Points(100+21*float64(len(names))))
	top := draw.New(canvas)
	start := vg.Points(200)
	x := start
	for k, s := range subjects { // above one another, so that none covers another
		var points plotter.XYs
		for i, load := range names {
			if v := m.median(load, s.name, f.unit); v > 0 {
				row := float64(len(names) - 1 - i)
				points = append(points, plotter.XY{X: v, Y: row + 0.27 - 0.18*float64(k)})
			}
		}
		if len(points) == 0 {
			continue
		}
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		scatter.GlyphStyle = draw.GlyphStyle{Color: s.color, Radius: 3, Shape: s.shape}
		p.Add(scatter)
		legend := vg.Point{X: x, Y: top.Max.Y - 12}
		top.DrawGlyph(scatter.GlyphStyle, legend)
		legend.X += 8
		style := p.X.Tick.Label
		style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
		top.FillText(style, legend, s.text)
		x += 8 + style.Width(s.text) + 20
	}
	if x == start {
		return nil, fmt.Errorf("no results in %s", f.unit)
	}
	p.X.Min, p.X.Max, p.Y.Padding = p.X.Min/1.5, p.X.Max*1.2, 8
	p.Draw(draw.Crop(top, 4, -16, 4, -24))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	return themed(fitted(b.String(), p.X.Tick.Label)), nil
}

var texts = regexp.MustCompile(`(?s)(<text )(x=[^>]*font-size:([\d.]+)px[^>]*>)([^<]*)<`)

// fitted gives each text the width that it was placed with, whatever font the reader has.
func fitted(svg string, style draw.TextStyle) string {
	return texts.ReplaceAllStringFunc(svg, func(element string) string {
		parts := texts.FindStringSubmatch(element)
		size, _ := strconv.ParseFloat(parts[3], 64)
		style.Font.Size = vg.Length(size)
		width := style.Width(html.UnescapeString(parts[4]))
		return fmt.Sprintf(`%stextLength="%.1f" %s%s<`, parts[1], width.Points(), parts[2], parts[4])
	})
}

// ticks are the powers of ten, in their units, and twice and five times those on a short axis.
func ticks(low, high float64) (all []plot.Tick) {
	for power := 1.0; power <= high; power *= 10 {
		for _, times := range []float64{1, 2, 5} {
			v := power * times
			if v >= low && v <= high && (times == 1 || high < 1000*low) {
				all = append(all, plot.Tick{Value: v, Label: time.Duration(v).String()})
			}
		}
	}
	return all
}

// themed has the reader's mode choose the colours.
func themed(svg string) []byte {
	replace := []string{"Liberation Sans", "Liberation Sans, Arial, Helvetica, sans-serif",
		"#010101", "var(--ink)", "#020202", "var(--faint)"}
	for _, s := range subjects {
		replace = append(replace, fmt.Sprintf("#%02X%02X%02X", s.color.R, s.color.G, s.color.B),
			"var(--"+s.variable+")")
	}
	svg = strings.NewReplacer(replace...).Replace(svg)
	head, rest, _ := strings.Cut(svg, "<g ")
	return []byte(head + style + "\n<g " + rest)
}
