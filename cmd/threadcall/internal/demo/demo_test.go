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

func TestRun(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "text"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := printer{ui.On(f)}
	bad := fact{claim: "fire is cold", expected: "cold", seen: "hot"}
	p.fact(bad)
	if p.closing(2, []fact{bad}) || !Run(time.Millisecond, p.Screen, p.Screen) {
		t.Error("the result is another")
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	const want = `WRONG  fire is cold
       expected  cold
       seen      hot

WRONG  1 of 2 facts are not as expected:
       fire is cold
`
	if !strings.HasPrefix(string(text), want) {
		t.Errorf("%s", text)
	}
}
