package markdown_test

import (
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/markdown"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

func data(versions ...string) *stats.Data {
	d := stats.New(versions...)
	for round := range 20 {
		for v := range versions {
			ns := 100 + float64(round%5) + 20*float64(v)
			d.Add(v, round+1, &benchfmt.Result{Name: benchfmt.Name("Parse/a|b_*c*-8"), Values: []benchfmt.Value{{Value: ns * 1e-9, Unit: "sec/op"}, {Value: 7, Unit: "B/op"}}})
		}
	}
	return d
}

func TestAComparisonIsATableOfGitHub(t *testing.T) {
	d := data("@main", "new")
	d.Fail(1, "p", "Panics", "panic: index\n```")
	var b strings.Builder
	err := markdown.Report{
		Title: "m: @main → <b>", Facts: [][2]string{{"run", "20 rounds"}}, Comparisons: []*stats.Comparison{d.Compare()},
		Broken: []string{"-fail-on +5%: Parse"}, Notes: []string{"one *note*"},
	}.Write(&b)
	if err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{
		"### m: @\u2060main → &lt;b&gt;\n", "**Of 1 benchmark: 1 slower.**\n", "> [!CAUTION]\n> -fail-on +5%: Parse\n", "- run: 20 rounds\n",
		"| sec/op | @\u2060main | new | change | 95% interval | p |  |\n| --- | ---: |", "| `Parse/a\\|b_*c*` | 102.0ns | 122.0ns | **+19.6% slower** |",
		"Unchanged: B/op of 1.", "<details><summary>", "**Failed:** `p.Panics` new", "Note: one \\*note\\*",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Count(got, "```") != 2 {
		t.Errorf("the reason of a failure ends its block:\n%s", got)
	}
	columns := 0
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if columns != 0 && n != columns {
			t.Errorf("%d columns after %d: %s", n-1, columns-1, line)
		}
		columns = n
	}
}

func TestOneVersionHasItsMedians(t *testing.T) {
	var b strings.Builder
	if err := (markdown.Report{Title: "m", Comparisons: []*stats.Comparison{data("now").Compare()}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	if want := "| `Parse/a\\|b_*c*` | 102.0ns | 101.0ns to 103.0ns | 20 |"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// Each of several comparisons has a heading, and what has failed in any of them is there once.
func TestSeveralComparisonsHaveHeadings(t *testing.T) {
	d := data("v1", "v2", "new")
	for version, name := range []string{"One", "Two", "New"} {
		d.Fail(version, "p", name, "panic")
	}
	all := d.Compare()
	one, two := all.Pair("v1", "new"), all.Pair("v2", "new")
	two.Failures = two.Failures[:1] // the caller leaves out what was in the one before
	var b strings.Builder
	if err := (markdown.Report{Title: "m", Comparisons: []*stats.Comparison{one, two}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"#### v1 → new\n\n**Of 1 benchmark: 1 slower.**", "#### v2 → new\n", "`p.One`", "`p.Two`", "`p.New`"} {
		if n := strings.Count(b.String(), want); n != 1 {
			t.Errorf("%d times %q in\n%s", n, want, &b)
		}
	}
}
