package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// written returns what print writes.
func written(t *testing.T, print func(printer)) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "text")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	print(printer{ui.On(f)})
	f.Close()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAWrongFactIsPrintedTwiceAndIsTheResult(t *testing.T) {
	good := fact{claim: "water is wet", expected: "wet", seen: "wet", ok: true}
	bad := fact{claim: "fire is cold", expected: "cold", seen: "hot"}
	got := written(t, func(p printer) {
		p.fact(good)
		p.fact(bad)
		if p.closing([]fact{good, bad}) || !p.closing([]fact{good}) {
			t.Error("the result is another")
		}
	})
	const want = `ok     water is wet
       expected  wet
       seen      wet

WRONG  fire is cold
       expected  cold
       seen      hot

WRONG  1 of 2 facts are not as expected:
       fire is cold
ok  1 of 1 facts are as expected.
`
	if got != want {
		t.Error(got)
	}
}

// measured returns rows that took as long as given.
func measured(ns func(name string, onMain bool) float64) []row {
	rows := newRows()
	for _, r := range rows {
		for _, c := range []*cell{r.unlocked, r.main} {
			if c != nil {
				c.times = []float64{ns(r.name, c == r.main)}
			}
		}
	}
	return rows
}

func TestTheVerdictIsAboutTheBestOnTheMainThread(t *testing.T) {
	rows := measured(func(name string, onMain bool) float64 {
		ns := map[string]float64{"direct": 1, "naive": 3000, "pooled": 1000, "struct": 2000, "threadcall": 10, "bound": 5}[name]
		if !onMain {
			ns /= 4
		}
		return ns
	})
	got := strings.Join(strings.Fields(written(t, func(p printer) { p.verdict(rows) })), " ")
	for _, want := range []string{"threadcall is 100 times as fast as pooled", "pooled appears 4.00 times as fast"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

func TestEveryRowIsServedWhereThePlaceSaysAndAllocatesAsItsDesign(t *testing.T) {
	rows := newRows()
	if f := measure(rows, Settings{Rounds: 1, Duration: time.Millisecond}, func(done, all int) {}); !f.ok {
		t.Errorf("%+v", f)
	}
	want := map[string]float64{"naive": 2, "pooled": 1}
	for _, r := range rows {
		for _, c := range []*cell{r.unlocked, r.main} {
			if c != nil && (len(c.times) != 1 || c.times[0] <= 0 || c.objects < want[r.name]) {
				t.Errorf("%s: times %v, %v allocations", r.name, c.times, c.objects)
			}
		}
	}
}
