package gotest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n",
		"p_test.go": "//go:build special\n\npackage p\n\nfunc BenchmarkX() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	tree := Tree{Dir: dir, Flags: []string{"-tags=special"}}
	all, missing, err := tree.List(t.Context(), ".", "./nowhere")
	if err != nil || len(missing) != 1 || !strings.Contains(missing[0], "nowhere") ||
		len(all) != 1 || !all[0].HasBenchmarks() {
		t.Errorf("%+v, missing %q, %v", all, missing, err)
	}
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(ErrInterrupted)
	if _, err := tree.Go(cancelled, "version"); err != ErrInterrupted {
		t.Error(err)
	}
	t.Setenv("PATH", dir)
	if _, err := tree.Go(t.Context(), "version"); err == nil || !strings.Contains(err.Error(),
		"the go command is needed") {
		t.Error(err)
	}
}

// The go command refuses to replace files of a toolchain that it has put into the module cache.
func TestTree_Toolchain_inModuleCache(t *testing.T) {
	var here Tree
	if _, err := here.Toolchain(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	tree := Tree{Env: append(os.Environ(), "GOMODCACHE="+filepath.Dir(here.Root))}
	dir := t.TempDir()
	if _, err := tree.Toolchain(t.Context(), dir); err != nil {
		t.Skip(err) // symbolic links are not allowed
	}
	out, err := tree.Go(t.Context(), "env", "GOROOT")
	if got := strings.TrimSpace(string(out)); err != nil || got != tree.Root ||
		filepath.Dir(got) != dir {
		t.Errorf("GOROOT is %s, %v, want %s in %s", got, err, tree.Root, dir)
	}
}
