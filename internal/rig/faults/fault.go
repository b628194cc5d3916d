package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A fault is a mistake in the tree and the check that must notice it. Its text form is
//
//	fault name: check
//	what mistake it imitates
//	in path/of/file.go
//	 a line that stays
//	-a line that goes
//	+a line that comes
//
// with an "in" for each place that it changes. There are no line numbers: the lines that stay and
// go must follow each other at exactly one place of the file; if they do nowhere, with other space
// and comments. Lines that stay are there to make it so.
type fault struct {
	name, check, about string
	edits              []edit
}

type edit struct {
	file  string
	lines []string // each behind ' ', '-' or '+'
}

// parse reads the text form of faults.
func parse(text string) (all []*fault, err error) {
	var f *fault
	for i, line := range strings.Split(text, "\n") {
		head, isHead := strings.CutPrefix(line, "fault ")
		file, isFile := strings.CutPrefix(line, "in ")
		switch {
		case line == "":
		case isHead:
			f = new(fault)
			all = append(all, f)
			f.name, f.check, _ = strings.Cut(head, ": ")
		case f == nil:
			return nil, fmt.Errorf("line %d belongs to no fault", i+1)
		case f.about == "":
			f.about = line
		case isFile:
			f.edits = append(f.edits, edit{file: file})
		case len(f.edits) > 0 && strings.Contains(" -+", line[:1]):
			e := &f.edits[len(f.edits)-1]
			e.lines = append(e.lines, line)
		default:
			return nil, fmt.Errorf("line %d is not understood: %s", i+1, line)
		}
	}
	return all, nil
}

// apply returns the files with the mistake.
func (f *fault) apply() (changed map[string]string, err error) {
	changed = map[string]string{}
	for _, e := range f.edits {
		text, err := []byte(changed[e.file]), error(nil)
		if len(text) == 0 {
			text, err = os.ReadFile(e.file)
		}
		if err != nil {
			return nil, err
		}
		lines, err := e.apply(strings.Split(string(text), "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.file, err)
		}
		changed[e.file] = strings.Join(lines, "\n")
	}
	return changed, nil
}

func (e edit) apply(lines []string) ([]string, error) {
	at := e.find(lines, same)
	if len(at) == 0 {
		at = e.find(lines, alike)
	}
	if len(at) != 1 {
		return nil, fmt.Errorf("the lines are there %d times", len(at))
	}
	return slices.Replace(slices.Clone(lines), at[0], at[0]+len(e.side('-')), e.side('+')...), nil
}

// side returns the lines before the edit, for '-', or after it.
func (e edit) side(sign byte) (lines []string) {
	for _, line := range e.lines {
		if line[0] == ' ' || line[0] == sign {
			lines = append(lines, line[1:])
		}
	}
	return lines
}

// find returns where the lines of e follow each other.
func (e edit) find(lines []string, equal func(a, b string) bool) (at []int) {
	old := e.side('-')
	for i := range len(lines) - len(old) + 1 {
		if slices.EqualFunc(lines[i:i+len(old)], old, equal) {
			at = append(at, i)
		}
	}
	return at
}

func same(a, b string) bool { return a == b }

// alike reports whether two lines differ in space and comments only.
func alike(a, b string) bool { return bare(a) == bare(b) }

func bare(line string) string {
	if i := strings.Index(line, "//"); i >= 0 {
		line = line[:i]
	}
	return strings.Join(strings.Fields(line), " ")
}
