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
	file *os.File
	out  *benchfmt.Writer // to the file
}

// createFile makes the file, in place of one that is there.
func createFile(name string, about []string) (*File, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("cannot save results: %w", err)
	}
	f := &File{file, benchfmt.NewWriter(file)}
	for _, line := range about {
		_, failed := fmt.Fprintln(file, "#", strings.ReplaceAll(line, "\n", " "))
		err = errors.Join(err, failed)
	}
	return f, err
}

// add saves what a process has measured.
func (f *File) add(o *Outcome) (err error) {
	for _, u := range o.Units {
		err = errors.Join(err, f.out.Write(u))
	}
	for _, r := range o.Lines {
		err = errors.Join(err, f.out.Write(r))
	}
	return err
}
