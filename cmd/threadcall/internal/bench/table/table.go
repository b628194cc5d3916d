// Package table writes comparisons of benchmarks as text for people.
package table

import (
	"fmt"
	"strconv"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Write writes what c shows: a table for each unit, or for all units together if there is one version, then what could
// not be compared, what failed, and what the words mean. Errors of writing stay in the screen.
func Write(s *ui.Screen, c *stats.Comparison) {
	p := printer{Screen: s, Comparison: c}
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
	if text := c.Family.String(); text != "" {
		s.Paragraph("", text)
		fmt.Fprintln(s)
	}
	p.legend()
}

// A printer writes one comparison.
type printer struct {
	*ui.Screen
	*stats.Comparison
	n    int // of values of each benchmark; 0: they differ
	used words
}

// words are those that the legend has to explain.
type words struct {
	spread, noSpread, change, inconclusive, tooFew, pairs, ranks bool
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
		lines = append(lines, "A change is shown with its "+confidence+" interval, if that excludes 0. Where nothing has changed, "+
			"a row shows one with a probability of at most "+strconv.FormatFloat(100*(1-p.Confidence), 'g', 3, 64)+"%.")
	}
	if p.used.pairs {
		lines = append(lines, "Changes and p come from the ratios within the rounds, in which the versions ran one right after the other: "+
			"their median, and the sign test or the signed-rank test.")
	}
	if p.used.ranks {
		lines = append(lines, "Changes and p come from the ratios of all values, as they were not measured in rounds: their median, and the "+
			"Mann-Whitney U-test. If one version was measured after the other, a change may be the machine's.")
	}
	if p.used.inconclusive {
		lines = append(lines, "~: inconclusive. MDE is the minimum detectable effect: an estimate of that size would have been reported.")
	}
	if p.used.tooFew {
		lines = append(lines, "~ needs: with fewer values no difference can be shown, however large it is.")
	}
	for _, line := range lines {
		p.Paragraph("", line)
	}
}
