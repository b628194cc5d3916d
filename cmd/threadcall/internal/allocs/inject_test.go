package allocs

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

func TestTheHookStandsInPlaceOfRun(t *testing.T) {
	for text, want := range map[string]string{
		"func TestMain(m *testing.M) { os.Exit(m.Run()) }":                 "os.Exit(threadcallAllocsRun(m))",
		"func TestMain(t *testing.M) { serve(func() { c = t.Run() }) }":    "c = threadcallAllocsRun(t)",
		"func TestMain(m *testing.M) {\n\tm.\n\t\tRun()\n}\nfunc last(){}": "\tthreadcallAllocsRun(m)\n",
		"func TestOther(m *testing.M) { m.Run() }":                         "",
		"func (x T) TestMain(m *testing.M) { m.Run() }":                    "",
		"this is not Go": "",
	} {
		source := []byte("package p\n\n" + text + "\n")
		changed, pkg, err := hookInto("p_test.go", source)
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

func TestATestMainThatHandsItsMOnIsAnError(t *testing.T) {
	_, _, err := hookInto("p_test.go", []byte("package p\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m) }\n"))
	if !errors.Is(err, errTestMain) || !strings.Contains(err.Error(), "p_test.go:2") {
		t.Error(err)
	}
}

func TestAPackageInTheModuleCacheIsToldWhatToDo(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	p := gotest.Package{ImportPath: "example.com/x", Dir: cache + "/example.com/x@v1.0.0", Module: &struct{ Main bool }{}, TestGoFiles: []string{"x_test.go"}}
	if _, err := (builder{dir: t.TempDir()}).test(t.Context(), p, 0); err == nil || !strings.Contains(err.Error(), "copy "+p.Dir) {
		t.Error(err)
	}
}
