package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/lab/measure"
)

func series(values ...float64) measure.Series { return measure.Series{Values: values} }

// count returns how often each element is in an SVG, which must be well formed.
func count(t *testing.T, svg string) map[string]int {
	t.Helper()
	elements := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
}

func svgOf(t *testing.T, p Picture) string {
	t.Helper()
	var out strings.Builder
	if err := WriteSVG(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestThePictureShowsItsRows(t *testing.T) {
	svg := svgOf(t, Picture{Title: "the title", Panels: []Panel{
		{Title: "nanoseconds", Rows: []Row{
			{Name: "first row", Series: series(1, 2, 3, 4, 5, 6, 7), Article: 1000},
			{Name: "second row", Series: series(20000, 30000), Group: 1},
		}},
		{Title: "moves", Rows: []Row{{Name: "third row", Series: series(0, 0, 7.5)}}},
	}})
	count(t, svg)
	for _, want := range []string{"the title", "nanoseconds", "moves", "first row", "second row", "third row", "the article",
		">4.00<", ">25,000<", ">1,000<", "sans-serif"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not to be seen", want)
		}
	}
}

func TestEachRoundAndEachMedianHasADot(t *testing.T) {
	one := svgOf(t, Picture{Panels: []Panel{{Rows: []Row{{Name: "x", Series: series(4)}}}}})
	four := svgOf(t, Picture{Panels: []Panel{{Rows: []Row{{Name: "x", Series: series(3, 4, 4, 5)}}}}})
	arcs := func(svg string) int { return strings.Count(svg, "A") }
	if arcs(four) <= arcs(one) {
		t.Errorf("%d arcs for one round and %d for four", arcs(one), arcs(four))
	}
}

func TestWhatCannotBeDrawnIsRefused(t *testing.T) {
	for name, p := range map[string]Picture{
		"no panel":   {Title: "t"},
		"no row":     {Panels: []Panel{{Title: "p"}}},
		"no number":  {Panels: []Panel{{Rows: []Row{{Name: "x"}}}}},
		"zeros only": {Panels: []Panel{{Rows: []Row{{Name: "x", Series: series(0, 0)}}}}},
	} {
		if WriteSVG(io.Discard, p) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAxesHaveAFewNumbers(t *testing.T) {
	for _, high := range []float64{0.003, 1, 7, 99, 1234, 5e6} {
		labels := 0
		for _, tick := range (linearTicks{}).Ticks(0, high) {
			if tick.Label != "" && tick.Value <= high {
				labels++
			}
		}
		if labels < 3 || labels > 9 {
			t.Errorf("%d numbers up to %v", labels, high)
		}
		labels = 0
		for _, tick := range (logTicks{}).Ticks(high/3000, high) {
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 3 || labels > 14 {
			t.Errorf("%d numbers from %v to %v", labels, high/3000, high)
		}
	}
}

func TestNumbersOfAnAxisHaveCommas(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.002: "0.002", 2.5: "2.5", 1000: "1,000", 2_500_000: "2,500,000"} {
		if got := number(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}
