package revision

import (
	"os"
	"path/filepath"
	"strings"
)

// Counterpart returns the directory in r that corresponds to dir in the other working tree, if there is one.
func (r *Repository) Counterpart(other *Repository, dir string) (string, bool) {
	dir, err := filepath.EvalSymlinks(dir) // as git does with the root
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(other.Top, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	dir = filepath.Join(r.Top, rel)
	at, err := os.Stat(dir)
	return dir, err == nil && at.IsDir()
}

// TakeTests replaces the test files of the package that corresponds to the one in dir of the other working tree, and its
// testdata, by those. If there is no such package, nothing happens. It is for worktrees that Checkout has made.
func (r *Repository) TakeTests(other *Repository, dir string) error {
	to, ok := r.Counterpart(other, dir)
	if !ok {
		return nil
	}
	own, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	for _, e := range own {
		if e.Name() == "testdata" || strings.HasSuffix(e.Name(), "_test.go") {
			if err := os.RemoveAll(filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	theirs, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range theirs {
		from, name := filepath.Join(dir, e.Name()), filepath.Join(to, e.Name())
		switch {
		case e.Name() == "testdata":
			if err := os.CopyFS(name, os.DirFS(from)); err != nil {
				return err
			}
		case strings.HasSuffix(e.Name(), "_test.go") && e.Type().IsRegular():
			text, err := os.ReadFile(from)
			if err != nil {
				return err
			}
			if err := os.WriteFile(name, text, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}
