package bisect

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/present"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Result is what Run has found.
type Result struct {
	Began   time.Time `json:"began"`
	Command string    `json:"command"`
	Range   string    `json:"range"` // as the user has written it
	Notes   []string  `json:"notes"`

	// with the benchmark and the unit by which commits were judged
	Package   string `json:"package,omitempty"`
	Benchmark string `json:"benchmark,omitempty"`
	Unit      string `json:"unit,omitempty"`
	Whole     Ratio  `json:"whole"` // of the bad end to the good end

	Commits []Tested `json:"commits"` // the good end, and then all of the range
	// of which one is the first bad one, as indices of Commits; one if the search was decided
	Suspects []int `json:"suspects"`
	// the search was neither interrupted nor did it end without a difference
	Decided bool    `json:"decided"`
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"`

	// The last commit before the suspects and the last of them, in rounds of their own.
	Comparison *judge.Comparison `json:"comparison,omitempty"`

	Alpha   float64 `json:"alpha"`   // a wrong commit is named with at most this probability
	Stopped string  `json:"stopped"` // why it ended

	delta judge.Delta
	table *judge.Table
}

// A Tested is a commit, and what its test has shown.
type Tested struct {
	revision.Logged
	Verdict Verdict `json:"verdict,omitempty"` // empty: it was not tested
	Reason  string  `json:"reason,omitempty"`  // why it is broken
	Ratio   *Ratio  `json:"ratio,omitempty"`   // to the good end
	Step    int     `json:"step,omitempty"`    // from 1
	Rounds  int     `json:"rounds,omitempty"`
}

// A Ratio is a median of ratios with an interval that holds for a test that has stopped early.
type Ratio struct {
	// 0: there is none, as the good end is nothing
	Estimate float64         `json:"estimate"`
	Interval *stats.Interval `json:"interval,omitempty"` // nil: there are too few rounds for one
}

func (r Ratio) String() string {
	text := change(r.Estimate)
	if r.Interval != nil {
		text += fmt.Sprintf(" [%s..%s]", change(r.Interval.Low), change(r.Interval.High))
	}
	return text
}

// change writes a ratio as a percentage.
func change(ratio float64) string {
	if ratio == 0 {
		return "from nothing"
	}
	return fmt.Sprintf("%+.1f%%", 100*(ratio-1))
}

// Print writes the result for people.
func (b *Result) Print(out *ui.Screen, verbose bool) {
	b.printVerdict(out)
	b.printCommits(out)
	if b.Comparison != nil && verbose {
		present.Compare(out, b.Comparison)
	}
	for _, n := range b.Notes {
		out.Paragraph("Note: ", n)
	}
}

func (b *Result) printVerdict(out *ui.Screen) {
	fact := func(name, text string) {
		if text != "" {
			out.Paragraph(fmt.Sprintf("  %-10s ", name), text)
		}
	}
	words := map[string]string{"sec/op": "is slower", measure.CPUTime: "uses more CPU time"}
	word := cmp.Or(words[b.Unit], "is worse")
	switch n := len(b.Suspects); {
	case b.Benchmark == "":
		fmt.Fprintln(out, out.Bold("Inconclusive: "+b.Stopped))
		fmt.Fprintln(out)
		return
	case n == 1 && b.Decided:
		c := b.Commits[b.Suspects[0]]
		fmt.Fprintln(out, out.Bold("The first commit that "+word))
		fact("commit", fmt.Sprintf("%s %q", c.Short(), c.Subject))
		date, _, _ := strings.Cut(c.Date, "T")
		fact("author", c.Author+", "+date)
		if c.Merge {
			fact("", "It is a merge, which brings all commits of a branch.")
		}
	default:
		why := "it cannot be decided which, because the others could not be tested"
		if !b.Decided {
			why = b.Stopped
		}
		fmt.Fprintln(out, out.Bold(fmt.Sprintf("The first commit that %s is one of %d: %s", word, n,
			why)))
		for _, i := range b.Suspects {
			fact("", fmt.Sprintf("%s %q", b.Commits[i].Short(), b.Commits[i].Subject))
		}
	}
	fact("benchmark", fmt.Sprintf("%s of %s, %s", b.Benchmark, b.Package, judge.Written(b.Unit)))
	fact("effect", b.effect())
	fact("range", fmt.Sprintf("%s, %s: %s", b.Range, ui.Counted(len(b.Commits)-1, "commit",
		"commits"), b.Whole))
	if b.Decided {
		fact("error rate", fmt.Sprintf("at most %.3g%% for a wrong commit", 100*b.Alpha))
	}
	fact("run", ui.Counted(b.Rounds, "round",
		"rounds")+" in "+ui.Duration(b.Seconds*1e9))
	fmt.Fprintln(out)
}

// effect describes the comparison of the suspects with what was before them.
func (b *Result) effect() string {
	d := b.delta
	if b.table == nil {
		return ""
	}
	text := strings.TrimSpace(b.table.Change(d) + " " + b.table.Range(d))
	if i := d.Interval; i == nil || d.Method == judge.Exactly {
		text = b.table.Change(d)
	} else if i.Low <= 1 && i.High >= 1 {
		text = "inconclusive, minimum detectable effect " + b.table.Detectable(d) + ","
	}
	return fmt.Sprintf("%s in %s next to %s", text, ui.Counted(d.N, "round", "rounds"),
		b.Commits[b.Suspects[0]-1].Short())
}

// printCommits writes the commits that were tested.
func (b *Result) printCommits(out *ui.Screen) {
	g := ui.Table{Left: 3}
	g.Add("commit", "verdict", "", "to good", "rounds")
	colours := map[Verdict]func(string) string{Good: out.Green, Bad: out.Red}
	for _, c := range b.Commits {
		if c.Verdict == "" {
			continue
		}
		ratio, rounds, verdict, text := "", "", string(c.Verdict), c.Subject
		if c.Ratio != nil {
			ratio, rounds = change(c.Ratio.Estimate), fmt.Sprint(c.Rounds)
		}
		if c.Reason != "" {
			text = c.Reason + " (" + c.Subject + ")"
		}
		if colour := colours[c.Verdict]; colour != nil {
			verdict = colour(verdict)
		}
		g.Add(c.Short(), verdict, ui.Head(text, 60), ratio, rounds)
	}
	g.Write(out)
	fmt.Fprintln(out)
}
