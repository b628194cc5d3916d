package allocs

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// testing.AllocsPerRun judges some thirty functions that promise not to allocate. The benchmarks
// call them with small arguments, the judge with the worst.
func TestSettings_Run_budget(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package several times")
	}
	t.Setenv("JUDGED_PANICS", "1")
	r := run(t, "testdata/judged", func(s *Settings) {
		t.Setenv("GOMAXPROCS", "2")
		s.Budget = true
	})
	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestJudge$", "-v", ".")
	cmd.Dir = "testdata/judged"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	allocates := map[string]bool{}
	for _, m := range regexp.MustCompile(`JUDGE (\S+) (\d+)`).FindAllStringSubmatch(string(out), -1) {
		allocates[m[1]] = m[2] != "0"
	}
	if len(allocates) < 28 || len(allocates) != len(r.Budget.Functions)-1 {
		t.Fatalf("%d functions were judged, %d have promised", len(allocates), len(r.Budget.Functions))
	}
	for _, f := range r.Budget.Functions {
		switch {
		case f.Reached == (f.Name == "unused"):
			t.Errorf("%s: reached %v", f.Name, f.Reached)
		case allocates[f.Name] && len(f.Broken) == 0:
			t.Errorf("%s allocates, and passes: %+v", f.Name, f)
		case !allocates[f.Name] && f.Reached && len(f.Broken) > 0:
			t.Errorf("%s does not allocate, and fails: %+v", f.Name, f)
		}
	}
	for name, want := range map[string]string{
		"boxInt":     "values below 256 need no memory",
		"inlines":    "n escapes to heap: assigned (anything = ~r0 at allocating.go:",
		"pair.moved": "p escapes to heap: assigned (anything = &p at allocating.go:",
		"toBytes":    "a conversion of a string to bytes allocates above 32 bytes",
		"format":     "strconv.FormatInt allocates 1 object an operation",
	} {
		if !slices.ContainsFunc(r.Budget.Functions, func(f *alloc.Function) bool {
			return f.Name == name && slices.ContainsFunc(f.Broken, func(p alloc.Problem) bool {
				return strings.Contains(p.Reason, want)
			})
		}) {
			t.Errorf("%s is not broken by %q", name, want)
		}
	}
	for name, asRun := range map[string]bool{"calls": true, "emit": true, "takeAndGive": false,
		"sendAndReceive": false} {
		i := slices.IndexFunc(r.Budget.Functions, func(f *alloc.Function) bool { return f.Name == name })
		if notes := r.Budget.Functions[i].Notes; (len(notes) > 0) != asRun {
			t.Errorf("%s: %+v", name, notes)
		}
	}
	if e := r.Budget.Excuses; len(e) != 2 || !e[0].Used || !e[1].Used ||
		e[0].Reason != "the first time" {
		t.Errorf("excuses %+v", e)
	}
	if r.Budget.OK() || len(r.Failures) != 1 || r.Failures[0].Name != "Panics" {
		t.Errorf("kept %v, failures %+v", r.Budget.OK(), r.Failures)
	}
	contains(t, printed(t, "testdata/judged", func(text Text) { text.budget(r.Budget) }),
		"BROKEN allocating.go:", "NEVER RUN silent.go:", "excused silent.go:",
		"boxByte", " functions keep their promise")
	s := settings(fixture)
	s.Budget = true
	none, err := s.Run(t.Context())
	if err != nil || !none.Budget.OK() || len(none.Runs) > 0 {
		t.Errorf("without a mark: %+v, %v", none, err)
	}
	contains(t, printed(t, fixture, func(text Text) { text.budget(none.Budget) }), "nothing to check")
}
