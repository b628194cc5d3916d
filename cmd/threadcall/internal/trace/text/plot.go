package text

import (
	"math"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A plot shows a series with characters: full up to the least value of a column, and shaded up to the largest.
type plot struct {
	values report.Series
	line   report.Series // shown as dots, if it has points
	end    time.Duration
	format func(float64) string
}

const rows = 6

// write writes the plot, unless it is empty or the screen is narrow.
func (p plot) write(s *ui.Screen) {
	const before = 12
	width := min(s.Width, 80) - before - 2
	if len(p.values.Points) == 0 || width < 20 || p.end <= 0 {
		return
	}
	low, high := columns(p.values, width, p.end)
	_, dots := columns(p.line, width, p.end)
	most := 0.0
	for i := range width {
		most = max(most, high[i], dots[i])
	}
	if most == 0 {
		return
	}
	for row := rows - 1; row >= 0; row-- {
		label := ""
		switch row {
		case rows - 1:
			label = p.format(most)
		case 0:
			label = "0"
		}
		var line strings.Builder
		for i := range width {
			at := func(x float64) float64 { return x/most*rows - float64(row) } // in cells above the foot of this one
			line.WriteRune(cell(at(low[i]), at(high[i]), at(dots[i])))
		}
		s.Printf("%*s %s %s\n", before-2, label, s.Faint("│"), strings.TrimRight(line.String(), " "))
	}
	s.Printf("%s0%*s\n", strings.Repeat(" ", before), width-1, ui.Duration(p.end))
}

func cell(low, high, dot float64) rune {
	switch {
	case low >= 0.95:
		return '█'
	case high-low < 0.25 && high > 0:
		return []rune(" ▁▂▃▄▅▆▇█")[min(8, max(1, int(math.Round(high*8))))]
	case high >= 0.5:
		return '░'
	case low > 0:
		return []rune(" ▁▂▃▄▅▆▇█")[min(8, max(1, int(math.Round(low*8))))]
	case dot > 0 && dot <= 1:
		return '·'
	}
	return ' '
}

// columns returns the least and the largest value in each of n parts of the time.
func columns(s report.Series, n int, end time.Duration) (low, high []float64) {
	low, high = make([]float64, n), make([]float64, n)
	now, next := 0.0, 0
	if len(s.Points) > 0 {
		now = s.Points[0].Min
	}
	for i := range n {
		low[i], high[i] = now, now
		until := end * time.Duration(i+1) / time.Duration(n)
		for ; next < len(s.Points) && (s.Points[next].At < until || i == n-1); next++ {
			p := s.Points[next]
			low[i], high[i], now = min(low[i], p.Min), max(high[i], p.Max), p.Last
		}
	}
	return low, high
}
