package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A ratios is a row: how one version of a benchmark compares with those that others are compared
// with.
type ratios struct {
	name, version string
	cells         map[[2]int]string // by comparison and table
	// the largest ratio to the first that is visibly worse; 1 if what is worse has no ratio; 0
	// without any
	worst float64
}

// printRatios writes the table that -ratios asks for: the ratios of all versions to the first one
// of each comparison. What is visibly worse than the first one of the first comparison comes first,
// the worst at the top. A version that the flag names need not be there: a run of some benchmarks
// may have no results of it.
func (r Result) printRatios(out *ui.Screen) {
	var cs []*judge.Comparison
	for _, version := range r.Settings.Ratios {
		if c := r.Comparison.To(version); c != nil {
			cs = append(cs, c)
		} else {
			out.Paragraph("Note: ", fmt.Sprintf("there is no %s; there are %s.", version,
				strings.Join(r.Comparison.Versions, ", ")))
		}
	}
	if len(cs) == 0 {
		return
	}
	p := printer{out, false}
	bases := func(version string) bool {
		return slices.ContainsFunc(cs, func(c *judge.Comparison) bool {
			return c.Versions[0] == version
		})
	}
	var rows []*ratios
	columns := map[[2]int]bool{} // that are not empty
	for i, c := range cs {
		for j, t := range c.Tables {
			for _, row := range t.Rows {
				for v, d := range row.Deltas {
					if d.Verdict == judge.None || bases(c.Versions[v]) {
						continue
					}
					name, version := c.FullName(row), c.Versions[v]
					at := slices.IndexFunc(rows, func(r *ratios) bool {
						return r.name == name && r.version == version
					})
					if at < 0 {
						at = len(rows)
						rows = append(rows, &ratios{name, version, map[[2]int]string{}, 0})
					}
					r := rows[at]
					columns[[2]int{i, j}] = true
					r.cells[[2]int{i, j}] = p.ratio(&t, d)
					switch {
					case i > 0 || d.Verdict != judge.Worse:
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

	g := ui.Table{Left: 2, Whole: true}
	above, heading := []string{"", ""}, []string{"", ""}
	var order [][2]int
	for i, c := range cs {
		base := "to " + c.Versions[0]
		for j, t := range c.Tables {
			if columns[[2]int{i, j}] {
				order = append(order, [2]int{i, j})
				above, heading = append(above, p.Bold(base)), append(heading, p.Faint(t.Unit))
				base = ""
			}
		}
	}
	g.Add(above...)
	g.Add(heading...)
	for k, r := range rows {
		if k > 0 && r.worst == 0 && rows[k-1].worst > 0 {
			g.Title("no visible change for the worse")
		}
		line := []string{r.version, r.name}
		for _, at := range order {
			line = append(line, r.cells[at])
		}
		g.Add(line...)
	}
	g.Write(out)
	fmt.Fprintln(out)
	out.Paragraph("", "~: inconclusive; the ratio may be 1.")
}

// ratio writes a difference as a factor.
func (p printer) ratio(t *judge.Table, d judge.Delta) string {
	var number string
	switch {
	case d.Absolute:
		number = t.Change(d)
	case d.Estimate >= 99.5:
		number = fmt.Sprintf("%.0f", d.Estimate)
	default:
		number = fmt.Sprintf("%.3g", d.Estimate)
	}
	if d.Verdict == judge.Unseen || d.Verdict == judge.TooFew {
		return p.Faint("~" + number)
	}
	return p.colour(d.Verdict, number)
}
