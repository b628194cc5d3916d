package measure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A File is where the results of a version are saved, in the Go benchmark format, each when it is
// there.
//
// Everything else that the run records is in comments: lines that begin with #, which readers of
// the format skip. As configuration, by which benchstat separates its tables, there is only what go
// test writes.
type File struct {
	Name string
	file *os.File
	out  *benchfmt.Writer // to the File
	run  string           // its identity, one word that no other run has
	err  error            // the first; nothing is written after it

	round int // that the file is in, or -1
	units map[benchfmt.UnitMetadataKey]bool
}

// createFile makes the file. It replaces one that is there if replace is set.
func createFile(name string, replace bool, run string, about []string) (*File, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot save results: %w", err)
	}
	f := &File{Name: name, file: file, run: run, round: -1,
		units: map[benchfmt.UnitMetadataKey]bool{}}
	f.out = benchfmt.NewWriter(f)
	for _, line := range about {
		f.comment(line)
	}
	return f, f.err
}

// add saves what a process has measured.
func (f *File) add(round int, o *Outcome) {
	for _, u := range o.Units {
		if !f.units[u.UnitMetadataKey] {
			f.units[u.UnitMetadataKey] = true
			_ = f.out.Write(u)
		}
	}
	for _, r := range o.Lines {
		if f.round != round {
			f.round = round
			f.comment(fmt.Sprintf(roundLine, f.run, round))
		}
		_ = f.out.Write(r)
	}
}

// comment saves a line that readers of the format pass over.
func (f *File) comment(text string) {
	fmt.Fprintln(f, "#", strings.ReplaceAll(text, "\n", " "))
}

// Write keeps the first error.
func (f *File) Write(text []byte) (n int, err error) {
	if f.err == nil {
		if n, err = f.file.Write(text); err != nil {
			f.err = fmt.Errorf("cannot save results: %w", err)
		}
	}
	return n, f.err
}

// close closes the file, and removes it if no results came.
func (f *File) close() error {
	err := f.file.Close()
	if f.round < 0 {
		if at, e := os.Lstat(f.Name); e == nil && at.Mode().IsRegular() {
			return errors.Join(f.err, err, os.Remove(f.Name))
		}
	}
	return errors.Join(f.err, err)
}

// roundLine is the comment that a file has before the results of a round. Results of two files are
// pairs if they have the same run and round.
const roundLine = "threadcall run %s round %d"

func parseRound(line string) (at Place, ok bool) {
	n, _ := fmt.Sscanf(line, "# "+roundLine, &at.Run, &at.Round)
	return at, n == 2 && at.Round >= 0
}

// DirName is the name of the directory for results of runs without -o.
const DirName = ".threadcall-bench"

// KeepRuns is how many runs the directory keeps.
const KeepRuns = 20

// resultsDir makes the directory for results of runs in dir, at the root of the git working tree,
// else of the module, else in dir itself, with the file by which git ignores it.
func resultsDir(dir string) (string, error) {
	results := filepath.Join(dir, DirName)
search:
	for _, mark := range []string{".git", "go.mod"} {
		for at, next := "", dir; at != next; next = filepath.Dir(at) {
			at = next
			if _, err := os.Lstat(filepath.Join(at, mark)); err == nil {
				results = filepath.Join(at, DirName)
				break search
			}
		}
	}
	err := os.MkdirAll(results, 0o777)
	if err == nil {
		ignore := filepath.Join(results, ".gitignore")
		if _, e := os.Lstat(ignore); errors.Is(e, fs.ErrNotExist) {
			err = os.WriteFile(ignore, []byte("*\n"), 0o666)
		}
	}
	if err != nil {
		return "", fmt.Errorf("cannot save results: %w", err)
	}
	return results, nil
}

// stamp matches the beginning of the name of a file that a run has left: the time.
var stamp = strings.ReplaceAll("ddddddddTdddddd", "d", "[0-9]")

// prune removes the results of all runs but the newest from the directory. What the user has named,
// and what is not of a run, stays.
func prune(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, stamp+"*.txt")) // the oldest first
	run := func(name string) string { return filepath.Base(name)[:len("20060102T150405")] }
	var runs []string
	for _, name := range names {
		runs = append(runs, run(name))
	}
	runs = slices.Compact(runs)
	old := runs[:max(0, len(runs)-KeepRuns)]
	for _, name := range names {
		if slices.Contains(old, run(name)) {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}
