package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/store"
)

func TestTheDirectoryIsAtTheRoot(t *testing.T) {
	top := t.TempDir()
	sub := filepath.Join(top, "module", "package")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ mark, want string }{
		{"", sub}, // unless a parent of the temporary directory is in a repository
		{"module/go.mod", filepath.Join(top, "module")},
		{".git", top},
	} {
		if c.mark != "" {
			if err := os.WriteFile(filepath.Join(top, c.mark), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if above := store.Dir(top); above != filepath.Join(top, store.Name) {
			continue
		}
		if got := store.Dir(sub); got != filepath.Join(c.want, store.Name) {
			t.Errorf("with %s: %s, want it in %s", c.mark, got, c.want)
		}
	}
}
