package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/threadcall/threadcall/internal/chart"
)

// What the article reports for its first design and for its last: by how much the heap grew.
const (
	articleFirst = 1.41 // MiB
	articleLast  = 0.32
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// table is Markdown with a column for each result.
func table(results []result) string {
	rows := []struct {
		name string
		of   func(r result) string
	}{
		{"heap growth in the article", func(r result) string {
			switch r.Design {
			case "naive":
				return fmt.Sprintf("%.2f MiB", articleFirst)
			case "struct":
				return fmt.Sprintf("%.2f MiB", articleLast)
			}
			return ""
		}},
		{"heap growth here, between two collections", func(r result) string { return bytes(r.growth()) }},
		{"allocated in all", func(r result) string { return bytes(float64(r.last().Bytes - r.first().Bytes)) }},
		{"collections", func(r result) string { return fmt.Sprint(r.last().Collections - r.first().Collections) }},
		{"live heap before, after", func(r result) string {
			return fmt.Sprintf("%.1f, %.1f KiB", float64(r.Live[0])/kib, float64(r.Live[1])/kib)
		}},
		{"mallocs a frame", func(r result) string {
			return fmt.Sprintf("%.4f", ratio(r.last().Objects-r.first().Objects, r.frames()))
		}},
		{"frames a second, each window", func(r result) string {
			return fmt.Sprintf("%.1f", float64(r.frames())/windows/r.seconds())
		}},
		{"calls of the main thread a second", func(r result) string {
			return fmt.Sprintf("%.1f", float64(r.last().Calls-r.first().Calls)/r.seconds())
		}},
		{"CPU, of one core", func(r result) string {
			return fmt.Sprintf("%.1f %%", 100*(r.last().CPU-r.first().CPU).Seconds()/r.seconds())
		}},
	}
	var b strings.Builder
	b.WriteString("| |")
	for _, r := range results {
		fmt.Fprintf(&b, " %s |", find(r.Design).title)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(results)) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, r := range results {
			fmt.Fprintf(&b, " %s |", row.of(r))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (r result) first() sample    { return r.Samples[0] }
func (r result) last() sample     { return r.Samples[len(r.Samples)-1] }
func (r result) seconds() float64 { return (r.last().At - r.first().At).Seconds() }
func (r result) frames() uint64   { return r.last().Frames - r.first().Frames }

// growth is the most by which the heap grew without a collection in between.
func (r result) growth() (most float64) {
	low := r.first()
	for _, s := range r.Samples {
		if s.Collections != low.Collections {
			low = s
		}
		most = max(most, float64(s.Heap)-float64(low.Heap))
	}
	return most
}

func ratio(a, b uint64) float64 { return float64(a) / max(float64(b), 1) }

func bytes(n float64) string {
	switch {
	case n < kib:
		return fmt.Sprintf("%.0f B", n)
	case n < mib/10:
		return fmt.Sprintf("%.1f KiB", n/kib)
	}
	return fmt.Sprintf("%.2f MiB", n/mib)
}

// writePicture draws the heap, what was allocated, and the CPU.
func writePicture(out io.Writer, results []result) error {
	lines := func(of func(r result, i int) float64) (all []chart.Line) {
		for _, r := range results {
			var l chart.Line
			for i, s := range r.Samples {
				l.Points = append(l.Points, chart.Point{At: s.At, Value: of(r, i)})
			}
			all = append(all, l)
		}
		return all
	}
	var names []string
	for _, r := range results {
		names = append(names, find(r.Design).title)
	}
	heap := lines(func(r result, i int) float64 { return float64(r.Samples[i].Heap) / mib })
	return chart.WriteSVG(out, chart.Picture{
		Title:  fmt.Sprintf("Two windows, %d frames a second", frameRate),
		Legend: names,
		Panels: []chart.Panel{
			{Title: "heap allocated, garbage included (MiB)", Lines: heap},
			{Title: "objects allocated so far (thousands)", Lines: lines(func(r result, i int) float64 {
				return float64(r.Samples[i].Objects-r.first().Objects) / 1000
			})},
			{Title: "CPU (% of one core)", Lines: lines(func(r result, i int) float64 {
				i = max(i, 1) // the first has none before it
				s, before := r.Samples[i], r.Samples[i-1]
				return 100 * (s.CPU - before.CPU).Seconds() / (s.At - before.At).Seconds()
			})},
		},
	})
}
