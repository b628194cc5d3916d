package rounds

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A File is where the results of a version are saved, in the Go benchmark format, each when it is there.
//
// Everything else that the run records is in comments: lines that begin with #, which readers of the format skip. As configuration, by which benchstat separates its tables, there is only what go test writes.
type File struct {
	Name string
	file *os.File
	run  string // its identity
	err  error  // the first; nothing is written after it

	round  int // that the file is in, or -1
	layout int
	config map[string]string
	units  map[string]bool
	size   int64 // up to here, the lines are complete
}

// CreateFile makes the file. It replaces one that is there if replace is set. The run is one word that no other has.
func CreateFile(name string, replace bool, run string, about []string) (*File, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot save results: %w", err)
	}
	f := &File{Name: name, file: file, run: run, round: -1, config: map[string]string{}, units: map[string]bool{}}
	for _, line := range about {
		f.Comment(line)
	}
	return f, f.Err()
}

// Add saves what a process has measured.
func (f *File) Add(round int, o *Outcome) {
	layout := o.Layout
	var b strings.Builder
	for _, u := range o.Units {
		if !f.units[u.Text] {
			f.units[u.Text] = true
			b.WriteString(u.Text + "\n")
		}
	}
	for _, l := range o.Lines {
		b.WriteString(f.configure(l.Result.Config))
		if f.round != round || f.layout != layout {
			f.round, f.layout = round, layout
			b.WriteString(stats.RoundLine(f.run, round, layout) + "\n")
		}
		b.WriteString(l.Text + "\n")
	}
	if b.Len() > 0 {
		f.write(b.String())
	}
}

// Comment saves a line that readers of the format pass over.
func (f *File) Comment(text string) {
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

// Err returns the first error that saving has met. What was saved before it is there.
func (f *File) Err() error { return f.err }

// Close closes the file, and removes it if no results came.
func (f *File) Close() error {
	err := f.file.Close()
	if f.round < 0 {
		if at, e := os.Lstat(f.Name); e == nil && at.Mode().IsRegular() {
			return errors.Join(f.err, err, os.Remove(f.Name))
		}
	}
	return errors.Join(f.err, err)
}
