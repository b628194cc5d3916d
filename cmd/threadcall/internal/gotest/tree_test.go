package gotest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tree returns a tree with these files, of which the names have slashes.
func tree(t *testing.T, files map[string]string) Tree {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOTMPDIR", t.TempDir())
	dir := t.TempDir()
	files["go.mod"] = "module example.com/p\n\ngo 1.26\n"
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text),
			0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return Tree{Dir: dir}
}

func TestTree_List(t *testing.T) {
	tr := tree(t, map[string]string{
		"a/a_test.go": "package a\n\nfunc BenchmarkX() {}\n",
		"b/b.go":      "package b\n\nimport \"example.com/p/c\"\n\nvar _ = c.X\n",
		"c/c.go":      "package c\n\nvar X = 1\n",
		"d/d_test.go": "//go:build special\n\npackage d\n",
	})
	packages, missing, err := tr.List(t.Context(), "./...", "./nowhere")
	if err != nil || len(packages) != 1 || packages[0].ImportPath != "example.com/p/a" ||
		!packages[0].HasBenchmarks() ||
		len(missing) != 1 || !strings.Contains(missing[0], "nowhere") {
		t.Errorf("%+v, missing %q, %v", packages, missing, err)
	}
	tr.Flags = []string{"-tags=special"}
	if packages, _, err = tr.List(t.Context(), "./d"); err != nil || len(packages) != 1 {
		t.Errorf("with a tag: %+v, %v", packages, err)
	}
	named, all, err := tr.ListDeps(t.Context(), "./b")
	if err != nil || len(named) != 1 || len(all) != 2 || all[0].ImportPath != "example.com/p/c" ||
		!all[0].DepOnly {
		t.Errorf("%+v, %+v, %v", named, all, err)
	}
}

func TestTree_errors(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(ErrInterrupted)
	if _, err := (Tree{}).Go(cancelled, "version"); err != ErrInterrupted {
		t.Error(err)
	}
	tr := tree(t, map[string]string{"p_test.go": "package p\n\nvar x int = \"text\"\n"})
	if _, err := tr.Go(t.Context(), "list", "io", "no/such/package"); err == nil ||
		!strings.HasPrefix(err.Error(), "go list: ") ||
		!strings.Contains(err.Error(), "no/such/package") {
		t.Error(err)
	}
	err := tr.Build(t.Context(), Package{ImportPath: "example.com/p"}, filepath.Join(t.TempDir(), "x"))
	if compile := (*CompileError)(nil); !errors.As(err, &compile) || !strings.Contains(compile.Output,
		"p_test.go:3") {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := tr.Go(t.Context(), "version"); err == nil || !strings.Contains(err.Error(),
		"the go command is needed") {
		t.Error(err)
	}
}
