package measure

import (
	"errors"
	"fmt"
	"io"
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
	run  string // its identity, one word that no other run has
	err  error  // the first; nothing is written after it

	round  int // that the file is in, or -1
	config map[string]string
	units  map[string]bool
	size   int64 // up to here, the lines are complete
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
	f := &File{Name: name, file: file, run: run, round: -1, config: map[string]string{},
		units: map[string]bool{}}
	for _, line := range about {
		f.comment(line)
	}
	return f, f.err
}

// add saves what a process has measured.
func (f *File) add(round int, o *Outcome) {
	var b strings.Builder
	for _, u := range o.Units {
		if !f.units[u.Text] {
			f.units[u.Text] = true
			b.WriteString(u.Text + "\n")
		}
	}
	for _, l := range o.Lines {
		b.WriteString(f.configure(l.Result.Config))
		if f.round != round {
			f.round = round
			b.WriteString(roundLine(f.run, round) + "\n")
		}
		b.WriteString(l.Text + "\n")
	}
	if b.Len() > 0 {
		f.write(b.String())
	}
}

// comment saves a line that readers of the format pass over.
func (f *File) comment(text string) {
	f.write("# " + strings.ReplaceAll(text, "\n", " ") + "\n")
}

// configure returns the lines that make config the configuration of what follows.
func (f *File) configure(config []benchfmt.Config) string {
	var b strings.Builder
	now := map[string]string{}
	for _, c := range config {
		if !c.File {
			continue
		}
		now[c.Key] = string(c.Value)
		if f.config[c.Key] != now[c.Key] {
			fmt.Fprintf(&b, "%s: %s\n", c.Key, c.Value)
		}
	}
	for key := range f.config {
		if _, ok := now[key]; !ok {
			fmt.Fprintf(&b, "%s:\n", key)
		}
	}
	f.config = now
	return b.String()
}

func (f *File) write(text string) {
	if f.err != nil {
		return
	}
	n, err := io.WriteString(f.file, text)
	if err == nil {
		f.size += int64(n)
		return
	}
	f.err = fmt.Errorf("cannot save results: %w", err)
	if cut := f.file.Truncate(f.size); cut != nil && n > 0 { // no half line may stay
		f.err = fmt.Errorf("%w; the last line of %s may be half", f.err, f.Name)
	}
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

// roundLine returns the line, without its end, that a file has before the results of a round.
// Results of two files are pairs if they have the same run and round.
func roundLine(run string, round int) string {
	return fmt.Sprintf("# threadcall run %s round %d", run, round)
}

func parseRound(line string) (at Place, ok bool) {
	n, _ := fmt.Sscanf(line, "# threadcall run %s round %d", &at.Run, &at.Round)
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
