package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"os"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// article has the seconds that the article measured.
var article = []series{
	{"Go 1.0.3", [4][]float64{{19.2}, {19.3}, {20.4}, {20.4}}},
	{"Go 1.1.2", [4][]float64{{18.7}, {8.26}, {3.30}, {2.64}}},
}

// The reader's mode chooses the colours, which are numbers in the plots: 1 is of text, 2 of the
// grid, the others of ways and of the article.
const style = `<style>
:root { --c1: #1f2328; --c2: #d1d9e0;
	--c3: #0969da; --c4: #bc4c00; --c5: #8250df; --c6: #1a7f37; --c7: #8c959f; --c8: #8c959f }
@media (prefers-color-scheme: dark) { :root { --c1: #e6edf3; --c2: #3d444d;
	--c3: #4493f8; --c4: #f0883e; --c5: #ab7df8; --c6: #3fb950; --c7: #9198a1; --c8: #9198a1 } }
</style>`

func colour(number uint8) color.Color { return color.RGBA{number, number, number, 255} }

var shapes = []vgdraw.GlyphDrawer{vgdraw.CircleGlyph{}, vgdraw.BoxGlyph{},
	vgdraw.SquareGlyph{}, vgdraw.PyramidGlyph{}, vgdraw.TriangleGlyph{}, vgdraw.RingGlyph{}}

const (
	timesTitle = "Time, of goroutines alone on one P"
	movesTitle = "Moves for every 1,000 handovers"
)

// picture draws times, of that of goroutines alone on one P, next to moves.
func picture(times, moves []series) ([]byte, error) {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	canvas := vgsvg.New(680, 300)
	top := vgdraw.New(canvas)
	x := vg.Points(40)
	for i, panel := range []struct {
		title  string
		step   float64
		series []series
	}{{timesTitle, 0.5, times}, {movesTitle, 200, moves}} {
		p := plot.New()
		p.BackgroundColor = nil
		p.Title.Text, p.Title.TextStyle.Color, p.Title.Padding = panel.title, colour(1), 6
		p.X.Label.Text, p.X.Label.TextStyle.Color = "GOMAXPROCS", colour(1)
		for _, a := range []*plot.Axis{&p.X, &p.Y} {
			a.Color, a.Tick.Color, a.Tick.Label.Color = colour(1), colour(1), colour(1)
		}
		grid := plotter.NewGrid()
		grid.Horizontal.Color, grid.Vertical.Color = colour(2), nil
		p.Add(grid)
		for number, s := range panel.series {
			c := colour(uint8(3 + number))
			var points plotter.XYs
			for j, v := range s.values {
				at := plotter.XY{X: float64(j) + 0.06*float64(number-2), Y: quantile(v, 0.5)}
				points = append(points, at)
				spread, err := plotter.NewLine(plotter.XYs{{X: at.X, Y: quantile(v, 0.25)},
					{X: at.X, Y: quantile(v, 0.75)}})
				if err != nil {
					return nil, err
				}
				spread.Color = c
				p.Add(spread)
			}
			line, scatter, err := plotter.NewLinePoints(points)
			if err != nil {
				return nil, err
			}
			line.Color = c
			scatter.GlyphStyle = vgdraw.GlyphStyle{Color: c, Radius: 3.5, Shape: shapes[number]}
			p.Add(line, scatter)
			if i == 0 {
				at := vg.Point{X: x, Y: top.Max.Y - 12}
				top.DrawGlyph(scatter.GlyphStyle, at)
				at.X += 8
				text := p.X.Tick.Label
				text.XAlign, text.YAlign = vgdraw.XLeft, vgdraw.YCenter
				top.FillText(text, at, s.name)
				x += 8 + text.Width(s.name) + 16
			}
		}
		var names []string
		for _, n := range procs {
			names = append(names, strconv.Itoa(n))
		}
		p.NominalX(names...)
		p.Y.Min = 0
		p.Y.Tick.Marker = plot.TickerFunc(func(_, most float64) (all []plot.Tick) {
			for v := 0.0; v <= most; v += panel.step {
				all = append(all, plot.Tick{Value: v, Label: fmt.Sprint(v)})
			}
			return all
		})
		left := vg.Length(i) * 340
		p.Draw(vgdraw.Crop(top, left+4, left-340-8, 4, -28))
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	svg := regexp.MustCompile(`#0(\d)0\d0\d`).ReplaceAllString(b.String(), "var(--c$1)")
	svg = strings.ReplaceAll(svg, "Liberation Sans", "Liberation Sans, Arial, sans-serif")
	head, rest, _ := strings.Cut(svg, "<g ")
	return []byte(head + style + "\n<g " + rest), nil
}

var result = regexp.MustCompile(`(?m)^BenchmarkSieve/(\w+?)(?:-(\d+))?\s.*?([\d.]+) ns/handover`)

// timesIn reads the times from a file of benchmarks, and appends the article's. Each is divided by
// the time of goroutines alone, or of the same release, on one P. A tenth of the rounds is faster
// than the time taken for all: other programs disturb that least.
func timesIn(file string) (all []series, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	values := map[string][]float64{}
	for _, r := range result.FindAllStringSubmatch(string(text), -1) {
		v, err := strconv.ParseFloat(r[3], 64)
		if err != nil {
			return nil, err
		}
		key := r[1] + "-" + cmp.Or(r[2], "1")
		values[key] = append(values[key], v)
	}
	for _, w := range ways {
		s := series{name: w.text}
		for j, p := range procs {
			v := values[fmt.Sprintf("%s-%d", w.name, p)]
			if v == nil {
				return nil, fmt.Errorf("%s has no ns/handover of %s with -cpu %d", file, w.name, p)
			}
			s.values[j] = []float64{quantile(v, 0.1)}
		}
		all = append(all, s)
	}
	all = append(all, article...)
	one := all[0].values[0][0]
	for i, s := range all {
		if i >= len(ways) {
			one = s.values[0][0]
		}
		for j, v := range s.values {
			all[i].values[j] = []float64{v[0] / one}
		}
	}
	return all, nil
}

// draw prints the times in a file of benchmarks and writes affinity.svg.
func draw(results string, moves []series) error {
	times, err := timesIn(results)
	if err != nil {
		return err
	}
	show(timesTitle, "%.2f", times)
	svg, err := picture(times, moves)
	if err != nil {
		return err
	}
	return os.WriteFile("affinity.svg", svg, 0o666)
}
