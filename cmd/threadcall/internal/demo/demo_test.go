package demo

import (
	"os"
	"path/filepath"
	"runtime"
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

func TestPerform(t *testing.T) {
	hang := []experiment{
		{"goes on", func(f *fact) { f.expected = f.seen }},
		{"ends", func(*fact) { runtime.Goexit() }},
		{"hangs", func(*fact) { select {} }},
		{"is not made", func(*fact) { t.Error("it is made") }},
	}
	var ok []bool
	for f := range perform(hang, 20*time.Millisecond) {
		ok = append(ok, f.ok)
		if f.hung != (f.seen == "none in 20ms") {
			t.Errorf("%+v", f)
		}
	}
	if !slices.Equal(ok, []bool{true, false, false}) {
		t.Errorf("%v", ok)
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
