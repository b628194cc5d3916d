package digest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A tally counts what has changed, for the headline.
type tally struct {
	benchmarks   map[string]bool
	inconclusive map[string]bool
	order        []string // of found
	found        map[string]int
	mde          float64
}

func newTally() *tally {
	return &tally{benchmarks: map[string]bool{}, inconclusive: map[string]bool{}, found: map[string]int{}}
}

func (c *tally) add(t *stats.Table, row *stats.Row, d stats.Delta) {
	key := row.Package + "." + row.Name
	c.benchmarks[key] = true
	switch word := t.Word(d); {
	case d.Visible():
		switch t.Unit {
		case "sec/op":
		case stats.CPUTime:
			word = "with " + word + " CPU time"
		default:
			word = "with " + word + " " + t.Unit
		}
		if c.found[word] == 0 {
			c.order = append(c.order, word)
		}
		c.found[word]++
	case d.Verdict == stats.TooFew || d.Verdict == stats.Unseen && !d.Absolute && d.MDE > TooNoisy:
		c.inconclusive[key] = true
	case d.Verdict == stats.Unseen && !d.Absolute:
		c.mde = max(c.mde, d.MDE)
	}
}

// String returns one sentence.
func (c *tally) String() string {
	n := len(c.benchmarks)
	if n == 0 {
		return "There is nothing to compare."
	}
	all := ui.Counted(n, "benchmark", "benchmarks")
	inconclusive := ""
	if k := len(c.inconclusive); k == n {
		inconclusive = "; inconclusive"
	} else if k > 0 {
		inconclusive = fmt.Sprintf("; %d inconclusive", k)
	}
	if len(c.found) == 0 {
		text := "No visible change in " + all + inconclusive
		if c.mde > 0 && inconclusive == "" {
			text += "; minimum detectable effect up to " + Blank(stats.Percent(ceil(c.mde)))
		}
		return text + "."
	}
	rank := map[string]int{"slower": -2, "faster": -1}
	slices.SortStableFunc(c.order, func(a, b string) int { return rank[a] - rank[b] })
	var parts []string
	for _, word := range c.order {
		parts = append(parts, fmt.Sprintf("%d %s", c.found[word], word))
	}
	return "Of " + all + ": " + strings.Join(parts, ", ") + inconclusive + "."
}
