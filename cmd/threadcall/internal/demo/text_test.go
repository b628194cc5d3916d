package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// written returns what tell says.
func written(t *testing.T, tell func(Text)) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "text")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	tell(Text{ui.On(f)})
	f.Close()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWhatIsWrongIsSaidTwice(t *testing.T) {
	r := NewReport(Settings{})
	good := Fact{Claim: "water is wet", Expected: "wet", Seen: "wet", OK: true}
	bad := Fact{Claim: "fire is cold", Expected: "cold", Seen: "hot"}
	r.Add(good)
	r.Add(bad)
	got := written(t, func(text Text) { text.Fact(good); text.Fact(bad); text.Closing(r) })
	const want = `ok     water is wet
       expected  wet
       seen      wet

WRONG  fire is cold
       expected  cold
       seen      hot

WRONG  1 of 2 facts are not as expected:
       fire is cold
`
	if got != want {
		t.Error(got)
	}
}

func TestAWrongCallIsShownApart(t *testing.T) {
	got := written(t, func(text Text) {
		text.calls([]Call{{1, "7", "5", "5", true}, {2, "7", "5", "7", false}, {3, "7", "5", "5", true}})
	})
	const want = `       goroutine   from thread   expected on        ran on
               1             7             5             5  ok  and 1 more
               2             7             5             7  WRONG
`
	if got != want {
		t.Error(got)
	}
}

// measured returns a report with rows whose medians are as given.
func measured(nsOf func(name string, served Place) float64) *Report {
	var rows []Row
	for _, s := range subjects() {
		row := Row{Name: s.name, Served: s.served, Missing: s.why}
		if s.sample != nil {
			row.Samples = []Sample{{1, nsOf(s.name, s.served), &Memory{136, 2}}}
			row.sumUp()
		}
		rows = append(rows, row)
	}
	r := NewReport(Settings{1, 1})
	r.Conclude(rows)
	return r
}

func TestResultsFitIntoEightyColumnsWhateverTheyAre(t *testing.T) {
	for _, ns := range []float64{0.1, 1, 9.99, 123, 99_999, 1e6, 3e9} {
		r := measured(func(_ string, served Place) float64 {
			if served == MainThread {
				return ns
			}
			return 1.5
		})
		for line := range strings.Lines(written(t, func(text Text) { text.Results(r) })) {
			if n := ui.Columns(line) - 1; n > 80 {
				t.Errorf("%v ns: %d columns: %s", ns, n, line)
			}
		}
	}
}

func TestTheVerdictIsAboutTheBestOnTheMainThread(t *testing.T) {
	v := measured(func(name string, served Place) float64 {
		return map[string]float64{"naive": 3000, "pooled": 1000, "struct": 2000, "threadcall": 10, "floor": 5}[name] /
			map[Place]float64{MainThread: 1, Unlocked: 4, TwoThreads: 1}[served]
	}).Verdict
	if v.Best != "pooled" || v.Times.Median != 100 || v.Masked.Median != 4 || v.Floors != 2 && v.Floors != 0 {
		t.Errorf("%+v", v)
	}
}
