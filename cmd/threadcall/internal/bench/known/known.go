// Package known makes a repository with two revisions of a package of benchmarks whose differences are known, to try
// threadcall bench on: in the new one BenchmarkSlower does exactly a tenth more work, by the number of instructions, and
// BenchmarkAllocates allocates once more; BenchmarkSame is the same, BenchmarkPanics panics, BenchmarkFails fails.
package known

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Module is the module of the benchmarks.
const Module = "known.example/known"

// Old is the name of the old revision, a tag. The new one is what is checked out.
const Old = "old"

//go:embed testdata/*.go
var files embed.FS

// A Revision says what differs.
type Revision struct {
	Slower      int // the units of work of BenchmarkSlower, where BenchmarkSame has 1000
	Allocations int // of BenchmarkAllocates
}

// These are the revisions in a repository.
var (
	Before = Revision{Slower: 1000, Allocations: 2}
	After  = Revision{Slower: 1100, Allocations: 3}
)

// Write writes the revision into the directory dir.
func (r Revision) Write(dir string) error {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := files.ReadFile("testdata/" + e.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), text, 0o644); err != nil {
			return err
		}
	}
	constants := fmt.Sprintf("package known\n\nconst (\n\tslower      = %d\n\tallocations = %d\n)\n", r.Slower, r.Allocations)
	if err := os.WriteFile(filepath.Join(dir, "revision.go"), []byte(constants), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+Module+"\n\ngo 1.26\n"), 0o644)
}

// WriteRepository makes a git repository with both revisions in the directory dir, which must be there.
func WriteRepository(dir string) error {
	if err := git(dir, "init", "-q"); err != nil {
		return err
	}
	for _, r := range []Revision{Before, After} {
		if err := r.Write(dir); err != nil {
			return err
		}
		if err := git(dir, "add", "."); err != nil {
			return err
		}
		if err := git(dir, "commit", "-q", "-m", fmt.Sprintf("work of %d units", r.Slower)); err != nil {
			return err
		}
		if r == Before {
			if err := git(dir, "tag", Old); err != nil {
				return err
			}
		}
	}
	return nil
}

func git(dir string, args ...string) error {
	settings := []string{"-c", "user.name=known", "-c", "user.email=known@known.example", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}
	cmd := exec.Command("git", append(settings, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}
