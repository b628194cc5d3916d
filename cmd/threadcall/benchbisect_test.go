package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/bisect"
)

// history returns a place with a repository of 13 commits with the tags c0 to c12. Commit n has the
// file that source returns.
func history(t *testing.T, source func(n int) string) place {
	t.Helper()
	p := module(t, nil)
	for n := range 13 {
		p.write(t, map[string]string{"known_test.go": source(n), "notes.md": fmt.Sprint("revision ",
			n)})
		p.commit(t, fmt.Sprint("change ", n))
		p.git(t, "tag", fmt.Sprint("c", n))
	}
	return p
}

// work is a benchmark that reports how much work it does, which so can be compared without noise.
// Every commit has another binary.
func work(n int, amount any, more string) string {
	return fmt.Sprintf(`package known

import (
	"testing"
	"time"
)

var _ = time.Second

var sink int

func BenchmarkWork(b *testing.B) {
	%s
	for range b.N {
		for i := range %v {
			sink += i * %d
		}
	}
	b.ReportMetric(%[2]v, "work/op")
	b.ReportMetric(%[2]v-1000, "extra/op")
}
`, more, amount, n+2)
}

func culprit(n int) int {
	if n >= 8 {
		return 1300
	}
	return 1000
}

var exactly = []string{"-benchtime", "1x", "-unit", "work/op"}

func found(t *testing.T, p place, status int, args ...string) bisect.Result {
	t.Helper()
	b := decoded[bisect.Result](t, p.bench(t, slices.Concat(exactly, []string{"-json"},
		args)...).want(t, status).stdout)
	return b
}

func TestBisect(t *testing.T) {
	t.Parallel()
	p := history(t, func(n int) string { return work(n, culprit(n), "") })
	b := found(t, p, statusOK, "-bisect", "c0..c12")
	steps := 0
	for i, c := range b.Commits {
		want := bisect.Good
		if i >= 8 {
			want = bisect.Bad
		}
		if c.Verdict != "" && c.Verdict != want {
			t.Errorf("%s is %s", c.Subject, c.Verdict)
		}
		if c.Step > 0 {
			steps++
		}
	}
	if !slices.Equal(b.Suspects, []int{8}) || !b.Decided ||
		b.Commits[8].Subject != "change 8" || b.Commits[8].Author != "t" {
		t.Errorf("suspects %d of %+v", b.Suspects, b.Commits)
	}
	if steps > 4 || b.Whole.Estimate < 1.29 || b.Whole.Estimate > 1.31 || b.Whole.Interval == nil {
		t.Errorf("%d steps, %v", steps, b.Whole)
	}
	if d := delta(t, b.Comparison, "work/op", "Work"); !d.Visible() || d.Estimate != 1.3 ||
		!slices.Equal(b.Comparison.Versions, []string{b.Commits[7].Short(),
			b.Commits[8].Short()}) {
		t.Errorf("%q: %+v", b.Comparison.Versions, d)
	}
	if out := p.git(t, "status", "--porcelain"); out != "" {
		t.Errorf("the working tree has changed: %s", out)
	}
	o := p.bench(t, append(exactly, "-bisect", "c5..", "-unit", "extra/op")...) // from nothing
	o.want(t, statusOK, "The first commit that is worse", "change 8", "author t,", "from nothing",
		"extra/op")
}

func TestBisect_broken(t *testing.T) {
	t.Parallel()
	p := history(t, func(n int) string {
		switch n {
		case 6:
			return work(n, "broken", "")
		case 7:
			return work(n, culprit(n), `b.Fatal("not today")`)
		case 3:
			return strings.ReplaceAll(work(n, culprit(n), ""), "BenchmarkWork", "BenchmarkOther")
		}
		return work(n, culprit(n), "")
	})
	b := found(t, p, statusOK, "-bisect", "c0..c12")
	if !slices.Equal(b.Suspects, []int{6, 7, 8}) || !b.Decided {
		t.Errorf("suspects %d", b.Suspects)
	}
	for commit, want := range map[int]string{6: "does not build: ./known_test.go:",
		7: "not today"} {
		if c := b.Commits[commit]; c.Verdict != bisect.Broken || !strings.Contains(c.Reason, want) {
			t.Errorf("%+v", c)
		}
	}
	p.bench(t, append(exactly, "-bisect", "c2..c5")...).want(t, statusUnmeasured,
		"is not visibly worse", "Inconclusive", "+0.0% [+0.0%..+0.0%]")
	p.bench(t, append(exactly, "-bisect", "c2..c6")...).want(t, statusUnmeasured,
		"cannot build the tests")
}

func TestBisect_interrupt(t *testing.T) {
	noInterrupts(t)
	t.Parallel()
	p := history(t, func(n int) string {
		if n == 9 { // the second that is tested
			return work(n, culprit(n), "time.Sleep(time.Hour)")
		}
		return work(n, culprit(n), "")
	})
	run := start(t, p.invocation(append(exactly, "-bisect", "c0..c12")...))
	run.until(t, "step 1: ")
	run.interrupt(t)
	run.end(t).want(t, statusUnmeasured, "is one of 6: interrupted", "change 7", "change 12")
}
