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
	file  *os.File
	out   *benchfmt.Writer // to the file
	run   string           // one word that no other run of this user has
	round int              // that the file is in, or -1
}

// createFile makes the file, in place of one that is there.
func createFile(name, run string, about []string) (*File, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("cannot save results: %w", err)
	}
	f := &File{file, benchfmt.NewWriter(file), run, -1}
	for _, line := range about {
		err = errors.Join(err, f.comment(line))
	}
	return f, err
}

// add saves what a process has measured. Results are pairs if the comments before them have the
// same run and round.
func (f *File) add(round int, o *Outcome) (err error) {
	if f.round != round {
		f.round = round
		err = f.comment(fmt.Sprintf("threadcall run %s round %d", f.run, round))
	}
	for _, u := range o.Units {
		err = errors.Join(err, f.out.Write(u))
	}
	for _, r := range o.Lines {
		err = errors.Join(err, f.out.Write(r))
	}
	return err
}

// comment saves a line that readers of the format pass over.
func (f *File) comment(text string) error {
	_, err := fmt.Fprintln(f.file, "#", strings.ReplaceAll(text, "\n", " "))
	return err
}
