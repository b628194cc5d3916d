package allocs

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
)

func TestRunIsReplaced(t *testing.T) {
	for text, want := range map[string]string{
		"func TestMain(m *testing.M) { os.Exit(m.Run()) }":                 "os.Exit(threadcallAllocsRun(m))",
		"func TestMain(t *testing.M) { serve(func() { c = t.Run() }) }":    "c = threadcallAllocsRun(t)",
		"func TestMain(m *testing.M) {\n\tm.\n\t\tRun()\n}\nfunc last(){}": "\tthreadcallAllocsRun(m)\n",
		"func TestOther(m *testing.M) { m.Run() }":                         "",
		"func (x T) TestMain(m *testing.M) { m.Run() }":                    "",
		"this is not Go": "",
	} {
		source := []byte("package p\n\n" + text + "\n")
		changed, pkg, err := replaceRun("p_test.go", source)
		switch {
		case err != nil:
			t.Errorf("%s: %v", text, err)
		case want == "" && changed != nil, want != "" && (pkg != "p" || !strings.Contains(string(changed), want)):
			t.Errorf("%s: %s in %s", text, changed, pkg)
		case changed != nil && bytes.Count(changed, []byte("\n")) != bytes.Count(source, []byte("\n")):
			t.Errorf("%s: lines have other numbers", text)
		}
	}
}

func TestATestMainThatPassesItsMIsAnError(t *testing.T) {
	_, _, err := replaceRun("p_test.go", []byte("package p\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m) }\n"))
	if !errors.Is(err, errTestMain) || !strings.Contains(err.Error(), "p_test.go:2") {
		t.Error(err)
	}
}

func TestAPackageInTheModuleCacheIsCopied(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles another module's tests")
	}
	const pkg = "github.com/aclements/go-moremath/stats" // on which this module depends
	for _, work := range []string{"", "off"} {
		t.Setenv("GOWORK", work)
		t.Setenv("GOFLAGS", "")
		s := fixtureSettings()
		s.Dir, s.Packages = ".", []string{pkg}
		named, _, err := s.tree().ListDeps(t.Context(), pkg)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		copied, moves, err := s.copies(t.Context(), named, dir)
		if err != nil || len(moves) != 1 || !below(named[0].Dir, moves[0].to) {
			t.Fatalf("GOWORK=%s: %+v, %v", work, moves, err)
		}
		if named, _, err = copied.tree().ListDeps(t.Context(), pkg); err != nil || !below(named[0].Dir, moves[0].from) {
			t.Fatalf("GOWORK=%s: %+v, %v", work, named, err)
		}
	}
}

func TestARowOfCgoNamesTheCaller(t *testing.T) {
	frames := heap.Stack{
		{Function: "runtime.gostring", File: "/go/src/runtime/string.go"},
		{Function: "example.com/p._Cfunc_GoString", File: "_cgo_gotypes.go", Line: 30},
		{Function: "example.com/p.name", File: "/p/p.go", Line: 12},
	}
	s := heap.Samples{Samples: []heap.Sample{{Stack: frames, Size: 16, Once: heap.Amount{Objects: 1, Bytes: 16}}}}
	rows := joiner{log: escape.New(), std: looksStandard}.rows(s, false)
	if len(rows) != 1 || rows[0].Where.Function != "example.com/p.name" || rows[0].Why != "cgo allocates what C.GoString returns" {
		t.Errorf("%+v", rows)
	}
}
