package threadvet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/txtar"

	"github.com/threadcall/threadcall/cmd/threadcall/threadvet"
)

// reports expects no facts: what packages know of others shows in the reports.
type reports struct{ t *testing.T }

func (r reports) Errorf(format string, args ...any) {
	r.t.Helper()
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, "unexpected fact: ") {
		r.t.Error(text)
	}
}

// The packages of programs.txtar have what is reported there in comments. Those named fixed have
// suggested fixes.
func TestAnalyzer(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the packages of the standard library that net/http imports")
	}
	programs, err := txtar.ParseFile("testdata/programs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "src/github.com/threadcall"), 0o755); err != nil {
		t.Fatal(err)
	}
	err = os.Symlink(root, filepath.Join(dir, "src/github.com/threadcall/threadcall"))
	if err != nil {
		t.Skip(err)
	}
	var packages, fixed []string
	for _, f := range programs.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(f.Name)), "src/")
		switch {
		case strings.HasSuffix(pkg, "pkg/ns"): // analyzed, though a table is for it
			packages = append(packages, pkg)
		case strings.Contains(pkg, "/") || slices.Contains(packages, pkg):
		case pkg == "blocking":
		case strings.HasPrefix(pkg, "fixed"):
			fixed = append(fixed, pkg)
		default:
			packages = append(packages, pkg)
		}
	}
	analysistest.Run(reports{t}, dir, threadvet.Analyzer, packages...)
	analysistest.RunWithSuggestedFixes(reports{t}, dir, threadvet.Analyzer, slices.Compact(fixed)...)
	if err := threadvet.Analyzer.Flags.Set("block", "true"); err != nil {
		t.Fatal(err)
	}
	defer threadvet.Analyzer.Flags.Set("block", "false")
	analysistest.Run(reports{t}, dir, threadvet.Analyzer, "blocking")
}
