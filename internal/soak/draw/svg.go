package draw

import (
	"bytes"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours of this project's pictures. The first of Colours is the first to be used.
var (
	Colours = []color.RGBA{{0x1f, 0x5a, 0xa6, 0xff}, {0xc2, 0x55, 0x1a, 0xff}, {0x2e, 0x7d, 0x4f, 0xff}, {0x8a, 0x3f, 0x9e, 0xff}}
	Black   = color.RGBA{0x20, 0x20, 0x20, 0xff}
	Grey    = color.RGBA{0xe4, 0xe4, 0xe4, 0xff}
)

// TitleHeight is what Paint needs for the title.
const TitleHeight = 1.1 * vg.Centimeter

func init() { plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"} }

// Pale returns the colour for an area behind a curve of colour c.
func Pale(c color.RGBA) color.RGBA {
	pale := func(v uint8) uint8 { return uint8(255 - (255-int(v))/4) }
	return color.RGBA{pale(c.R), pale(c.G), pale(c.B), 0xff}
}

// Paint writes a picture in SVG with a title above what paint paints. Its text needs no font that few have.
func Paint(out io.Writer, width, height vg.Length, title string, paint func(whole draw.Canvas)) error {
	svg := vgsvg.NewWith(vgsvg.UseWH(width, height))
	whole := draw.New(svg)
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	style := Text(13, Black)
	style.YAlign = draw.YTop
	whole.FillText(style, vg.Point{X: 0.4 * vg.Centimeter, Y: whole.Max.Y - 0.35*vg.Centimeter}, title)
	paint(whole)
	var text bytes.Buffer
	if _, err := svg.WriteTo(&text); err != nil {
		return err
	}
	_, err := out.Write(bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))) // the same widths; few have the first
	return err
}

// Text is the style of text that begins at a point.
func Text(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{
		Color: c, Font: font.From(plot.DefaultFont, size), Handler: plot.DefaultTextHandler,
		XAlign: draw.XLeft, YAlign: draw.YCenter,
	}
}

// Style gives a plot the sizes and colours that its title and axes should have.
func Style(p *plot.Plot) {
	p.Title.TextStyle.Font.Size = 10
	p.Title.TextStyle.Color = Black
	p.Title.Padding = vg.Points(4)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.Tick.LineStyle.Color = Black, Black
		a.Tick.Label.Font.Size = 9
		a.Label.TextStyle.Font.Size = 10
	}
}

// Grid is the grid behind the curves.
func Grid() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = Grey, Grey
	grid.Vertical.Width, grid.Horizontal.Width = vg.Points(0.4), vg.Points(0.4)
	return grid
}
