package measure

import (
	"errors"
	"fmt"
	"os"
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

// createFile makes the file, in place of one that is there.
func createFile(name, run string, about []string) (*File, error) {
	file, err := os.Create(name)
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

// roundLine is the comment that a file has before the results of a round. Results are pairs if they
// have the same run and round.
const roundLine = "threadcall run %s round %d"
