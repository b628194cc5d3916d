// Package patch changes the tree for one command: what is to be changed is data, the tree itself
// stays as it is.
package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Patch changes some files. Its text form, with a word for what the patches of a file are, is
//
//	word name: argument
//	one line about it
//	in path/of/file.go
//	 a line that stays
//	-a line that goes
//	+a line that comes
//
// with an "in" for each place that it changes. There are no line numbers: the lines that stay and
// go must follow each other at exactly one place of the file, whatever the space and comments.
// Lines that stay are there to make it so.
type Patch struct {
	Name, Arg, About string
	Edits            []Edit
}

// An Edit changes one place of a file.
type Edit struct {
	File  string
	Lines []string // each behind ' ', '-' or '+'
}

// Read reads the patches in a file.
func Read(file, word string) (all []*Patch, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var f *Patch
	for i, line := range strings.Split(string(text), "\n") {
		head, isHead := strings.CutPrefix(line, word+" ")
		file, isFile := strings.CutPrefix(line, "in ")
		switch {
		case line == "":
		case isHead:
			f = new(Patch)
			all = append(all, f)
			f.Name, f.Arg, _ = strings.Cut(head, ": ")
		case f == nil:
			return nil, fmt.Errorf("line %d belongs to no %s", i+1, word)
		case f.About == "":
			f.About = line
		case isFile:
			f.Edits = append(f.Edits, Edit{File: file})
		case len(f.Edits) > 0 && strings.Contains(" -+", line[:1]):
			e := &f.Edits[len(f.Edits)-1]
			e.Lines = append(e.Lines, line)
		default:
			return nil, fmt.Errorf("line %d is not understood: %s", i+1, line)
		}
	}
	return all, nil
}

// Check returns why a patch cannot be made: it changes nothing, has the name of another, does not
// fit the files, or makes a file of Go what is none.
func Check(all []*Patch) error {
	var errs []error
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.Name] || len(p.Edits) == 0 {
			errs = append(errs, fmt.Errorf("%s is there twice, or changes nothing", p.Name))
		}
		seen[p.Name] = true
		changed, err := p.Apply()
		for file, text := range changed {
			if err == nil && strings.HasSuffix(file, ".go") {
				_, err = parser.ParseFile(token.NewFileSet(), file, text, 0)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w; change in the same way what is there now", p.Name, err))
		}
	}
	return errors.Join(errs...)
}

// Apply returns the text of the files that p changes, by their names in the current directory.
func (p *Patch) Apply() (changed map[string]string, err error) {
	changed = map[string]string{}
	for _, e := range p.Edits {
		text, err := []byte(changed[e.File]), error(nil)
		if len(text) == 0 {
			text, err = os.ReadFile(e.File)
		}
		if err != nil {
			return nil, err
		}
		lines, err := e.apply(strings.Split(string(text), "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		changed[e.File] = strings.Join(lines, "\n")
	}
	return changed, nil
}

func (e Edit) apply(lines []string) ([]string, error) {
	old, at := e.side('-'), []int{}
	for i := range len(lines) - len(old) + 1 {
		if slices.EqualFunc(lines[i:i+len(old)], old, alike) {
			at = append(at, i)
		}
	}
	if len(at) != 1 {
		return nil, fmt.Errorf("the lines are there %d times", len(at))
	}
	return slices.Replace(slices.Clone(lines), at[0], at[0]+len(old), e.side('+')...), nil
}

// side returns the lines before the edit, for '-', or after it.
func (e Edit) side(sign byte) (lines []string) {
	for _, line := range e.Lines {
		if line[0] == ' ' || line[0] == sign {
			lines = append(lines, line[1:])
		}
	}
	return lines
}

// alike reports whether two lines differ in space and comments only.
func alike(a, b string) bool { return slices.Equal(words(a), words(b)) }

func words(line string) []string {
	code, _, _ := strings.Cut(line, "//")
	return strings.Fields(code)
}

// Overlay returns the environment in which go commands, and those that tests start, read the
// changed files.
func Overlay(changed map[string]string) (env []string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "threadcall-patch-")
	if err != nil {
		return nil, nil, err
	}
	replace := map[string]string{}
	for name, text := range changed {
		original, err := filepath.Abs(name)
		if err != nil {
			return nil, nil, err
		}
		replace[original] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(replace[original], []byte(text), 0o666); err != nil {
			return nil, nil, err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Join(dir, "overlay.json")
	flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -overlay=" + name)
	return []string{"GOFLAGS=" + flags}, func() { os.RemoveAll(dir) }, os.WriteFile(name, list, 0o666)
}

// Go runs a go command with env added to the environment, and returns what it wrote.
func Go(env []string, args ...string) (out []byte, err error) {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), env...)
	return c.CombinedOutput()
}
