package demo

import (
	"math"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// chart draws the times as bars on a logarithmic scale.
func (t Text) chart(r *Report) {
	type bar struct {
		label, mark string
		row         *Row
	}
	var bars []bar
	for _, name := range names {
		label := name
		for _, kind := range []struct {
			served Place
			mark   string
		}{{Unlocked, "░"}, {MainThread, "█"}, {TwoThreads, "▒"}} {
			if row := r.Row(name, kind.served); row != nil && row.Missing == "" {
				bars = append(bars, bar{label, kind.mark, row})
				label = ""
			}
		}
	}

	low, high := math.Inf(1), math.Inf(-1)
	for _, b := range bars {
		low, high = min(low, math.Log10(b.row.Time.Median)), max(high, math.Log10(b.row.Time.Median))
	}
	low, high = math.Floor(low), math.Ceil(high)
	const before, after = 12, 10 // columns of the label and of the time
	decade := (min(t.Width, 80) - before - after) / int(max(high-low, 1))
	if decade < 6 {
		return // too narrow for the ticks
	}

	t.Paragraph("", `Medians on a logarithmic scale, from | to | ten times as long: ░ served by an unlocked goroutine,
		█ by the main thread.`)
	t.say("\n")
	ticks, labels := strings.Repeat(" ", before), strings.Repeat(" ", before)
	for e := low; e <= high; e++ {
		ticks += pad([]string{"|", strings.Repeat(" ", decade)}, false)[0]
		labels += pad([]string{ui.Duration(math.Pow(10, e)), strings.Repeat(" ", decade)}, false)[0]
	}
	t.say("%s\n%s\n", t.Faint(strings.TrimRight(labels, " ")), t.Faint(strings.TrimRight(ticks, " ")))
	for _, b := range bars {
		length := int(math.Round((math.Log10(b.row.Time.Median) - low) * float64(decade)))
		drawn := strings.Repeat(b.mark, max(length, 1))
		if b.row.Name == "threadcall" {
			drawn = t.Green(drawn)
		}
		t.say("%-*s%s %s\n", before, b.label, drawn, ui.Duration(b.row.Time.Median))
	}
}
