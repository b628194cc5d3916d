package digest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// mostLayouts is for how many benchmarks there is a sentence about layouts each; of more, there is one about all.
const mostLayouts = 5

// A moved is how far layouts of the code move a benchmark.
type moved struct {
	name     string
	old, new *stats.Layout
	change   string
	size     float64 // of the change
}

// layouts reports how far layouts of the code move each version, compared with the change between them.
func (d digester) layouts() (sentences []string) {
	var all []moved
	for i := range d.Tables {
		t := &d.Tables[i]
		if t.Unit != "sec/op" && t.Unit != stats.CPUTime {
			continue
		}
		for _, row := range t.Rows {
			delta, old, new := row.Deltas[d.version], row.Cells[0].Layout, row.Cells[d.version].Layout
			if delta.Layout != nil && old != nil && new != nil && delta.Verdict != stats.Aside {
				all = append(all, moved{d.name(row), old, new, Blank(t.Change(delta)), math.Abs(math.Log(delta.Estimate))})
			}
		}
	}
	old, new := d.Versions[0], d.Versions[d.version]
	if len(all) <= mostLayouts || d.all {
		for _, m := range all {
			sentences = append(sentences, fmt.Sprintf("%s: %s move %s by %s, %s by %s; change %s.",
				m.name, movers(m.old), old, far(m.old), new, far(m.new), m.change))
		}
		return sentences
	}
	by := func(less func(a, b moved) int) moved { return slices.MaxFunc(all, less) }
	a := by(func(a, b moved) int { return cmp.Compare(a.old.Effect, b.old.Effect) })
	b := by(func(a, b moved) int { return cmp.Compare(a.new.Effect, b.new.Effect) })
	c := by(func(a, b moved) int { return cmp.Compare(a.size, b.size) })
	return []string{fmt.Sprintf("Of %d benchmarks, %s move %s by %s, %s by %s; largest change %s (%s).",
		len(all), movers(a.old), old, upTo(a.old, a.name), new, upTo(b.new, b.name), c.change, c.name)}
}

// movers names what moves a version. If each layout was measured once, that is noise, too.
func movers(l *stats.Layout) string {
	if l.Noise == 0 {
		return fmt.Sprintf("%d layouts and noise", l.N)
	}
	return fmt.Sprintf("%d layouts", l.N)
}

// far returns the standard deviation over layouts.
func far(l *stats.Layout) string {
	if l.Effect == 0 && l.Noise > 0 {
		return "less than noise"
	}
	return Blank(stats.Percent(l.Effect))
}

func upTo(l *stats.Layout, name string) string {
	if l.Effect == 0 {
		return far(l)
	}
	return fmt.Sprintf("up to %s (%s)", far(l), name)
}
