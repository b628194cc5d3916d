package draw

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestThePictureIsWellFormedAndSaysWhatItShows(t *testing.T) {
	for _, end := range []time.Duration{0, time.Second, 10 * time.Minute, 24 * time.Hour} {
		var points []Point
		for i := range 1000 {
			points = append(points, Point{end * time.Duration(i) / 1000, float64(i % 7)})
		}
		var out strings.Builder
		if err := WriteSVG(&out, Picture{
			Title:  "a picture",
			WarmUp: end / 6,
			Panels: []Panel{
				{"nothing (KiB)", []Line{{Name: "a"}, {Name: "b"}}},
				{"something (MiB)", []Line{{Points: points, Levels: []Level{{end / 2, end, 3}}}}},
			},
		}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"a picture", "nothing (KiB)", "something (MiB)", "sans-serif"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not to be seen", want)
			}
		}
		for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAPictureWithoutPanelsIsRefused(t *testing.T) {
	if WriteSVG(io.Discard, Picture{}) == nil {
		t.Error("no error")
	}
}

func TestAxesBeginAtZeroAndHoldAFewNumbers(t *testing.T) {
	for _, top := range []float64{0, 0.003, 1, 7, 99, 1234, 5e6} {
		a := newValueAxis(top)
		marks := a.Ticks(0, a.max)
		if a.max < top || len(marks) < 3 || len(marks) > 7 || marks[0].Value != 0 {
			t.Errorf("up to %v there are %v", top, marks)
		}
	}
	for _, end := range []time.Duration{time.Second, time.Minute, time.Hour, 3 * time.Hour} {
		a := newTimeAxis(end)
		if marks := a.Ticks(0, a.max); len(marks) < 3 || len(marks) > 14 {
			t.Errorf("in %v there are %v", end, marks)
		}
	}
}

func TestNumbersHaveCommas(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 2.5: "2.5", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := grouped(v); got != want {
			t.Errorf("%v is written %q", v, got)
		}
	}
}
