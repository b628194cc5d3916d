package table

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A ratios is a row: how one version of a benchmark compares with those that others are compared with.
type ratios struct {
	name, version string
	deltas        [][]stats.Delta // for each comparison, its tables
	worst         float64         // the largest ratio to the first that is visibly worse; 1 if what is worse has no ratio; 0 without any
}

// Ratios writes one table with the ratios of all versions to the first one of each comparison. What is visibly worse than
// the first one of the first comparison comes first, the worst at the top. The comparisons are of the same results.
func Ratios(s *ui.Screen, cs ...*stats.Comparison) {
	bases := map[string]bool{}
	for _, c := range cs {
		bases[c.Versions[0]] = true
	}
	var rows []*ratios
	at := map[[2]string]*ratios{}
	for i, c := range cs {
		for j, t := range c.Tables {
			for _, row := range t.Rows {
				for v, d := range row.Deltas {
					if bases[c.Versions[v]] || d.Verdict == stats.None {
						continue
					}
					key := [2]string{c.FullName(row), c.Versions[v]}
					r := at[key]
					if r == nil {
						r = &ratios{key[0], key[1], make([][]stats.Delta, len(cs)), 0}
						for i, c := range cs {
							r.deltas[i] = make([]stats.Delta, len(c.Tables))
						}
						at[key], rows = r, append(rows, r)
					}
					r.deltas[i][j] = d
					switch {
					case i > 0 || d.Verdict != stats.Worse:
					case d.Absolute:
						r.worst = max(r.worst, 1)
					default:
						r.worst = max(r.worst, d.Estimate, 1/d.Estimate)
					}
				}
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b *ratios) int { return -cmp.Compare(a.worst, b.worst) })

	p := printer{Screen: s, Comparison: cs[0]}
	g := ui.Table{Left: 2, Whole: true}
	above, heading := []string{"", ""}, []string{"", ""}
	lines := make([][]string, len(rows))
	for k, r := range rows {
		lines[k] = []string{r.version, r.name}
	}
	for i, c := range cs {
		base := "to " + c.Versions[0]
		for j, t := range c.Tables {
			if !slices.ContainsFunc(rows, func(r *ratios) bool { return r.deltas[i][j].Verdict != stats.None }) {
				continue
			}
			above, heading = append(above, p.Bold(base)), append(heading, p.Faint(t.Unit))
			base = ""
			for k, r := range rows {
				lines[k] = append(lines[k], p.ratio(&t, r.deltas[i][j]))
			}
		}
	}
	g.Add(above...)
	g.Add(heading...)
	for k, r := range rows {
		if k > 0 && r.worst == 0 && rows[k-1].worst > 0 {
			g.Title("no visible change for the worse")
		}
		g.Add(lines[k]...)
	}
	g.Write(s)
	fmt.Fprintln(s)
	if p.used.inconclusive {
		s.Paragraph("", "~: inconclusive; the ratio may be 1.")
	}
}

// ratio writes a difference as a factor.
func (p *printer) ratio(t *stats.Table, d stats.Delta) string {
	var number string
	switch {
	case d.Verdict == stats.None:
		return ""
	case d.Absolute:
		number = t.Change(d)
	case d.Estimate >= 99.5:
		number = fmt.Sprintf("%.0f", d.Estimate)
	default:
		number = fmt.Sprintf("%.3g", d.Estimate)
	}
	if d.Verdict == stats.Unseen || d.Verdict == stats.TooFew {
		p.used.inconclusive = true
		return p.Faint("~" + number)
	}
	return p.colour(d.Verdict, number)
}
