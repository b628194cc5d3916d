package allocs

import (
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/record"
)

func TestWhatTheTimerLeavesOutIsInNoRow(t *testing.T) {
	for _, name := range []string{"BenchmarkStops", "BenchmarkResets", "BenchmarkStopsAtItsEnd"} {
		run := runNamed(t, reportOfFixture(t), name)
		if run.Total.Bytes != 160 || run.Total.Objects != 1 || run.Headline.Bytes.Median != 160 || run.Headline.Allocs.Median != 1 {
			t.Errorf("%s: %+v, headline %+v", name, run.Total, run.Headline)
		}
		for _, row := range run.Rows {
			if row.Kind == Unattributed {
				t.Errorf("%s: %+v", name, row)
			}
		}
	}
}

func TestOnlyTimersOfBenchmarksAreReplaced(t *testing.T) {
	for text, want := range map[string]string{
		"func BenchmarkX(b *testing.B) { b.StopTimer() }":                                   "threadcallAllocsStop(b)",
		"func BenchmarkX(b *testing.B) { b.Run(s, func(c *testing.B) { c.ResetTimer() }) }": "threadcallAllocsReset(c)",
		"func f(c *clock) { c.StopTimer() }":                                                "",
		"func BenchmarkX(b *testing.B) { b.StopTimer(1) }":                                  "",
		"this is not Go": "",
	} {
		changed, pkg := replaceTimer("p_test.go", []byte("package p\n"+text+"\n"))
		if want == "" && changed != nil || want != "" && (pkg != "p" || !strings.Contains(string(changed), want)) {
			t.Errorf("%s: %s in %q", text, changed, pkg)
		}
	}
}

func TestTheBaseIsSubtractedByStack(t *testing.T) {
	frames := []record.Frame{{Function: "a"}, {Function: "b"}}
	p := &record.Profile{Objects: 10, Bytes: 100, Frames: frames, Records: []record.Record{
		{Objects: 3, Bytes: 24, Stack: []int{0}}, {Objects: 2, Bytes: 16, Stack: []int{1}}}}
	subtract(p, &record.Profile{Objects: 4, Bytes: 40, Frames: []record.Frame{frames[1], frames[0]}, Records: []record.Record{
		{Objects: 1, Bytes: 8, Stack: []int{1}}, {Objects: 5, Bytes: 40, Stack: []int{0}}}})
	if p.Objects != 6 || p.Bytes != 60 || p.Records[0].Objects != 2 || p.Records[0].Bytes != 16 || p.Records[1].Objects != 0 {
		t.Errorf("%+v", p)
	}
}

func TestWhatBelongsToNoPlaceIsARow(t *testing.T) {
	run := Run{Headline: &Headline{Bytes: Interval{100, 100, 100}, Allocs: Interval{3, 3, 3}, N: 1000}}
	run.Total.Objects, run.Total.Bytes = 1, 36
	run.account()
	if len(run.Rows) != 1 || run.Rows[0].Kind != Unattributed || run.Rows[0].Amount.Bytes != 64 || run.Rows[0].Amount.Objects != 2 {
		t.Errorf("%+v", run.Rows)
	}
	run = Run{Headline: &Headline{Bytes: Interval{36, 36, 36}, Allocs: Interval{1, 1, 1}, N: 1000}}
	run.Total.Objects, run.Total.Bytes = 1.002, 36.4
	if run.account(); len(run.Rows) != 0 {
		t.Errorf("%+v", run.Rows)
	}
}
