package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/rig/patch"
)

func TestFaults(t *testing.T) {
	t.Chdir("../..")
	faults, err := patch.Read(list, "fault")
	if err != nil {
		t.Fatal(err)
	}
	if err := patch.Check(faults); err != nil {
		t.Error(err)
	}
	for _, f := range faults {
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == f.Arg }) {
			t.Errorf("%s: there is no check %q", f.Name, f.Arg)
		}
	}
}

func TestCulprit_isTheTestThatRan(t *testing.T) {
	const out = `fatal error: sync: unlock of unlocked mutex
p.TestMain(0x1)
p.TestPrograms.func1(0x1)
p.TestOther(0x1)`
	const want = "TestPrograms fatal error: sync: unlock of unlocked mutex"
	if got := culprit([]byte(out)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMutations(t *testing.T) {
	const source = `package p
func (x *T[K]) f(c chan int) {
	if x.n--; x.n > 0 && x.a {
		defer x.close()
		y := 1
	}
	switch { case x.b: c <- 1; c <- 1 }
	for ; x.c; x.n++ { x.n = 2 }
}`
	var got []string
	all, err := mutationsIn("p.go", source)
	for _, m := range all {
		got = append(got, m.what+": "+strings.TrimSpace(strings.Split(m.text, "\n")[m.line-1]))
		if m.function != "*T[K].f" {
			t.Errorf("%s is in %s", m.what, m.function)
		}
	}
	want := []string{
		"!(x.n > 0 && x.a): if x.n--; !(x.n > 0 && x.a) {",
		"x.n > 0 || x.a: if x.n--; x.n > 0 || x.a {",
		"without defer x.close(): if false { defer x.close() }",
		"!(x.b): switch { case !(x.b): c <- 1; c <- 1 }",
		"without c <- 1: switch { case x.b: if false { c <- 1 }; c <- 1 }",
		"without c <- 1: switch { case x.b: c <- 1; if false { c <- 1 } }",
		"!(x.c): for ; !(x.c); x.n++ { x.n = 2 }",
		"without x.n = 2: for ; x.c; x.n++ { if false { x.n = 2 } }",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
