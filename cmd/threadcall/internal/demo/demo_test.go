package demo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	mainthread.Init(func() { os.Exit(m.Run()) })
}

// wrong returns which facts a library gets wrong, by index, and what was seen of the last.
func wrong(lib library, timeout time.Duration) (facts []int, seen string) {
	i := 0
	for f := range perform(experiments(lib), timeout) {
		if !f.ok {
			facts, seen = append(facts, i), f.seen
		}
		i++
	}
	return facts, seen
}

func TestExperiments(t *testing.T) {
	swallow := func(f func()) func() {
		return func() {
			defer func() { recover() }()
			f()
		}
	}
	inPlace := library{
		func(f func()) bool { f(); return true },
		func(f func()) bool { swallow(f)(); return true },
		func() error { return nil },
	}
	swallows := library{
		func(f func()) bool { return mainthread.Call(swallow(f)) },
		func(f func()) bool { return mainthread.Go(swallow(f)) },
		threadcall.Error,
	}
	for name, c := range map[string]struct {
		lib  library
		want []int
	}{
		"threadcall":              {threadcall, nil},
		"runs functions in place": {inPlace, []int{0, 1, 2, 3, 4, 5, 6}},
		"swallows panics":         {swallows, []int{4, 6}},
	} {
		if got, seen := wrong(c.lib, timeout); !slices.Equal(got, c.want) {
			t.Errorf("%s: facts %v are wrong, want %v; seen %s", name, got, c.want, seen)
		}
	}
	hangs := library{Call: func(func()) bool { select {} }} // the first is then the last
	got, seen := wrong(hangs, 20*time.Millisecond)
	if !slices.Equal(got, []int{0}) || seen != "none in 20ms" {
		t.Errorf("facts %v are wrong, the last %q", got, seen)
	}
}

// written returns what print writes.
func written(t *testing.T, print func(printer)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "text"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	print(printer{ui.On(f)})
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPrinter(t *testing.T) {
	good := fact{claim: "water is wet", expected: "wet", seen: "wet", ok: true}
	bad := fact{claim: "fire is cold", expected: "cold", seen: "hot"}
	got := written(t, func(p printer) {
		p.fact(bad)
		if p.closing([]fact{good, bad}) || !p.closing([]fact{good}) {
			t.Error("the result is another")
		}
	})
	const want = `WRONG  fire is cold
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

func TestMeasure(t *testing.T) {
	rows := newRows()
	if f := measure(rows, 1, time.Millisecond, func(done, all int) {}); !f.ok {
		t.Errorf("%+v", f)
	}
	allocs := map[string]float64{"naive": 2, "pooled": 1}
	ns := map[string]float64{"direct": 1, "naive": 3000, "pooled": 1000, "struct": 2000,
		"threadcall": 10, "bound": 5}
	for _, r := range rows {
		for _, c := range []*cell{r.unlocked, r.main} {
			if c == nil {
				continue
			}
			if len(c.times) != 1 || c.times[0] <= 0 || c.objects < allocs[r.name] {
				t.Errorf("%s: times %v, %v allocations", r.name, c.times, c.objects)
			}
			c.times = []float64{ns[r.name]}
			if c == r.unlocked {
				c.times[0] /= 4
			}
		}
	}
	text := strings.Join(strings.Fields(written(t, func(p printer) { p.verdict(rows) })), " ")
	for _, want := range []string{"threadcall is 100 times as fast as pooled",
		"pooled appears 4.00 times as fast"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
