package allocs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestPromisesThatAreBrokenAreNamedWithTheReason(t *testing.T) {
	r := runFixture(t, func(s *Settings) { s.Packages, s.Bench, s.Budget = []string{"./promises/..."}, ".", true })
	var got []string
	for _, f := range r.Budget.Functions {
		text := f.Name
		if !f.Reached {
			text += " never run"
		}
		for _, p := range f.Broken {
			text += fmt.Sprintf("; %d %s %v", p.Line, p.Reason, p.Run != "")
		}
		got = append(got, text)
	}
	want := []string{
		"add",
		"call",
		"escapes; 36 n escapes to heap: assigned (anything = n at promises.go:36); values below 256 need no memory false",
		"inlines; 45 n escapes to heap: assigned (anything = ~r0 at promises.go:45) false",
		"grows; 7 callee.Grow allocates 1 object an operation true",
		"get",
		"excused",
		"unused never run",
		"(*list).put",
		"large.moved; 96 l escapes to heap: assigned (anything = &l at promises.go:96) false",
		"boxed; 101 v escapes to heap: returned (return ~r0 at promises.go:101); values below 256 need no memory false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Budget.OK() {
		t.Error("OK")
	}
	if e := r.Budget.Excuses; len(e) != 2 || !e[0].Used || !e[1].Used || e[0].Reason != "the first time" {
		t.Errorf("excuses %+v", e)
	}
	out := printed(t, func(text Text) { text.Budget(r.Budget) })
	for _, want := range []string{"BROKEN promises/promises.go:", "NEVER RUN promises/promises.go:", "excused promises/promises.go:63 the",
		"ok promises/promises.go:15 add", "5 of 11 functions keep"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestABudgetWithoutPromisesIsAnError(t *testing.T) {
	outsideWorkspace(t)
	s := fixtureSettings()
	s.Bench, s.Budget = ".", true
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no function promises anything") {
		t.Error(err)
	}
}
