package chart

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
)

func TestAPictureIsXMLWithALineForEachSeries(t *testing.T) {
	var points []Point
	for i := range 1000 {
		points = append(points, Point{time.Duration(i) * time.Second, float64(i % 7)})
	}
	var b strings.Builder
	err := WriteSVG(&b, Picture{Title: "a < b", Legend: []string{"x", "y"}, Panels: []Panel{
		{Title: "KiB", Lines: []Line{{points}, {points[:1]}}},
		{Title: "nothing", Lines: []Line{{}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "polyline" {
			lines++
		}
	}
	if lines != 3 || strings.Contains(b.String(), "NaN") {
		t.Errorf("%d lines in\n%s", lines, b.String())
	}
}

func TestNiceNumbers(t *testing.T) {
	for x, want := range map[float64]float64{0.3: 0.5, 1: 1, 1.1: 2, 30: 50, 99: 100, 500: 500} {
		if got := nice(x); got < want*0.999 || got > want*1.001 {
			t.Errorf("%v becomes %v, want %v", x, got, want)
		}
	}
}
