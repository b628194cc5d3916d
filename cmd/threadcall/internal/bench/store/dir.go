// Package store keeps results of benchmarks in a directory of the repository that git ignores.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Name is the name of the directory.
const Name = ".threadcall-bench"

// Dir returns the directory for the results of runs in dir: at the root of the git working tree, else of the module, else in
// dir itself. It need not be there.
func Dir(dir string) string {
	for _, mark := range []string{".git", "go.mod"} {
		for at := dir; ; at = filepath.Dir(at) {
			if _, err := os.Lstat(filepath.Join(at, mark)); err == nil {
				return filepath.Join(at, Name)
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return filepath.Join(dir, Name)
}

// Make makes the directory, with the file by which git ignores all of it.
func Make(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot save results: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = f.WriteString("*\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot save results: %w", err)
	}
	return nil
}
