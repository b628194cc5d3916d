// Package testrepo makes a git repository with two revisions of a package of benchmarks whose differences are known, for
// tests of threadcall bench: in the new one BenchmarkSlower does a tenth more work, by the number of instructions, and
// BenchmarkAllocates allocates once more; BenchmarkSame is the same, BenchmarkPanics panics, BenchmarkFails fails.
package testrepo

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Old is the name of the old revision, a tag. The new one is what is checked out.
const Old = "old"

//go:embed testdata/*.go
var files embed.FS

// Write makes the repository in the directory dir, which must be there.
func Write(dir string) error {
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	for _, name := range []string{"known.go", "known_test.go"} {
		if err := os.Rename(filepath.Join(dir, "testdata", name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	err := errors.Join(os.Remove(filepath.Join(dir, "testdata")),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module known.example/known\n\ngo 1.26\n"), 0o644))
	for _, command := range [][]string{{"init", "-q"}, {"1000", "2"}, {"add", "."}, {"commit", "-q", "-m", "old"}, {"tag", Old},
		{"1100", "3"}, {"commit", "-q", "-a", "-m", "new"}} {
		if err != nil {
			return err
		}
		if command[0] < "a" { // what differs between the revisions
			text := fmt.Sprintf("package known\n\nconst (\n\tslower      = %s\n\tallocations = %s\n)\n", command[0], command[1])
			err = os.WriteFile(filepath.Join(dir, "revision.go"), []byte(text), 0o644)
			continue
		}
		settings := []string{"-c", "user.name=known", "-c", "user.email=known@known.example", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}
		cmd := exec.Command("git", append(settings, command...)...)
		cmd.Dir = dir
		if out, e := cmd.CombinedOutput(); e != nil {
			err = fmt.Errorf("git %s: %w\n%s", command[0], e, out)
		}
	}
	return err
}
