// Package table writes comparisons of benchmarks as text for people.
package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Write writes what c shows: what has changed, or each figure if there is one version, then what could not be compared and
// what failed. If verbose is set, it writes all rows, and what the words mean. Errors of writing stay in the screen.
func Write(s *ui.Screen, c *stats.Comparison, verbose bool) {
	p := printer{Screen: s, Comparison: c, verbose: verbose}
	if len(c.Versions) == 1 {
		p.summary()
	} else {
		for version := 1; version < len(c.Versions); version++ {
			p.comparison(version)
		}
	}
	p.failures()
	for _, w := range c.Warnings {
		s.Paragraph("Note: ", w)
	}
	if verbose {
		if text := c.Family.String(); text != "" {
			s.Paragraph("", text)
			fmt.Fprintln(s)
		}
		p.legend()
	}
}

// A printer writes one comparison.
type printer struct {
	*ui.Screen
	*stats.Comparison
	verbose bool
	used    words
}

// words are those that the legend has to explain.
type words struct {
	spread, noSpread, change, inconclusive, tooFew bool
}

// note remembers what a row has used.
func (w *words) note(r digest.Row) {
	w.noSpread = w.noSpread || strings.HasSuffix(r.Old, "±?")
	w.spread = w.spread || strings.Contains(r.Old+r.New, "±")
	w.change = w.change || r.Interval != ""
	w.inconclusive = w.inconclusive || r.Verdict == stats.Unseen
	w.tooFew = w.tooFew || r.Verdict == stats.TooFew
}

// methods reports by which tests the rows were judged.
func (p *printer) methods() (pairs, ranks bool) {
	for _, t := range p.Tables {
		for _, row := range t.Rows {
			for _, d := range row.Deltas {
				pairs = pairs || d.Method == stats.Pairs && d.Verdict != stats.TooFew
				ranks = ranks || d.Method == stats.Ranks && d.Verdict != stats.TooFew
			}
		}
	}
	return pairs, ranks
}

// failures lists the benchmarks that have no results, or not all.
func (p *printer) failures() {
	if len(p.Failures) == 0 {
		return
	}
	fmt.Fprintln(p, p.Red("Failed"))
	for _, f := range p.Failures {
		name := f.Name
		if f.Package != "" {
			name = f.Package + "." + name
		}
		if len(p.Versions) > 1 && f.Version != "" {
			name += " (" + f.Version + ")"
		}
		p.Paragraph("  ", name+": "+f.Reason)
	}
	fmt.Fprintln(p)
}

// legend explains the words that the tables have used.
func (p *printer) legend() {
	confidence := strconv.FormatFloat(100*p.Confidence, 'g', 4, 64) + "%"
	var lines []string
	if p.used.spread {
		lines = append(lines, "±: how far the "+confidence+" interval of the median reaches.")
	}
	if p.used.noSpread {
		lines = append(lines, fmt.Sprintf("±?: there are too few values for that interval; %d give one.", stats.Rounds()))
	}
	if p.used.change {
		lines = append(lines, "A change is visible if its "+confidence+" interval excludes 0. Where nothing has changed, "+
			"a row shows one with a probability of at most "+strconv.FormatFloat(100*(1-p.Confidence), 'g', 3, 64)+"%.")
	}
	pairs, ranks := p.methods()
	if pairs {
		lines = append(lines, "Changes and p come from the ratios within the rounds, in which the versions ran one right after the other: "+
			"their median, and the sign test or the signed-rank test.")
	}
	if ranks {
		lines = append(lines, "Changes and p come from the ratios of all values, as they were not measured in rounds: their median, and the "+
			"Mann-Whitney U-test. If one version was measured after the other, a change may be the machine's.")
	}
	if p.used.inconclusive {
		lines = append(lines, "MDE is the minimum detectable effect: an estimate of that size would have been visible.")
	}
	if p.used.tooFew {
		lines = append(lines, "needs: with fewer values no difference can be shown, however large it is.")
	}
	for _, line := range lines {
		p.Paragraph("", line)
	}
}
