package store

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Saved is a file of results that a run has saved under a label. It is in the Go benchmark format, after a comment with
// what is here.
type Saved struct {
	Label     string    `json:"label"`
	Saved     time.Time `json:"saved"`
	Commit    string    `json:"commit,omitempty"`
	Subject   string    `json:"subject,omitempty"`
	Committed time.Time `json:"committed,omitzero"`
	Changed   bool      `json:"changed,omitempty"` // files differed from the commit
	Go        string    `json:"go"`
	Machine   Machine   `json:"machine"`
	Command   string    `json:"command"`

	File string `json:"-"`
}

// A Machine is what makes figures comparable.
type Machine struct {
	Host string `json:"host"`
	CPU  string `json:"cpu,omitempty"` // as testing reports it
	CPUs int    `json:"cpus"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// String returns the kind of the machine.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d CPUs, %s/%s", cmp.Or(m.CPU, "unknown CPU"), m.CPUs, m.OS, m.Arch)
}

// SameKind reports whether the machines differ in nothing but the name.
func (m Machine) SameKind(as Machine) bool {
	m.Host = as.Host
	return m == as
}

// Short returns a few words that name the result: those of its commit, if it has one.
func (s Saved) Short() string {
	switch {
	case s.Commit == "":
		return s.Saved.Format("2006-01-02 15:04")
	case s.Changed:
		return s.Commit[:min(7, len(s.Commit))] + "+"
	}
	return s.Commit[:min(7, len(s.Commit))]
}

// What describes the result: "saved 2 January 2026 at 1234567 "subject", go1.26".
func (s Saved) What() string {
	text := "saved " + s.Saved.Format("2 January 2006, 15:04")
	if s.Commit != "" {
		text += fmt.Sprintf(", %s %q", s.Commit[:min(10, len(s.Commit))], s.Subject)
	}
	if s.Changed {
		text += " and changes"
	}
	return text + ", " + s.Go
}

var label = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// CheckLabel returns an error if the label cannot be the name of a directory on every system.
func CheckLabel(text string) error {
	if !label.MatchString(text) {
		return fmt.Errorf("%q is no label: letters, digits, and the signs _ . - are allowed", text)
	}
	return nil
}

const mark = "# threadcall saved "

// Save copies a file of results into dir, the one of this package, under the label of s. It returns the name.
func Save(dir string, s Saved, results string) (name string, err error) {
	if err := CheckLabel(s.Label); err != nil {
		return "", err
	}
	text, err := os.ReadFile(results)
	if err != nil {
		return "", fmt.Errorf("cannot save: %w", err)
	}
	about, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	at := filepath.Join(dir, "saved", s.Label)
	if err := errors.Join(Make(dir), os.MkdirAll(at, 0o777)); err != nil {
		return "", fmt.Errorf("cannot save: %w", err)
	}
	name = filepath.Join(at, s.Saved.UTC().Format("20060102T150405.000")+".txt")
	temporary := name + ".part" // a reader must not find half a file
	err = os.WriteFile(temporary, slices.Concat([]byte(mark), about, []byte("\n"), text), 0o666)
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return "", fmt.Errorf("cannot save: %w", err)
	}
	return name, nil
}

// CPU returns what testing reports as the CPU in a file of results.
func CPU(results string) string {
	text, _ := os.ReadFile(results)
	for line := range bytes.Lines(text) {
		if cpu, ok := bytes.CutPrefix(line, []byte("cpu: ")); ok {
			return strings.TrimSpace(string(cpu))
		}
	}
	return ""
}

// List returns what is saved under the label, in the order in which it was saved. There is at least one.
func List(dir, label string) (all []Saved, err error) {
	if err := CheckLabel(label); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(escape(filepath.Join(dir, "saved", label)), "*.txt"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s, err := read(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		hint := "-save " + label + " saves some"
		if have := Labels(dir); len(have) > 0 {
			hint = "there are results of " + strings.Join(have, ", ")
		}
		return nil, fmt.Errorf("nothing is saved as %s in %s; %s", label, dir, hint)
	}
	slices.SortStableFunc(all, func(a, b Saved) int { return a.Saved.Compare(b.Saved) })
	return all, nil
}

// Labels returns those under which something is saved.
func Labels(dir string) (labels []string) {
	entries, _ := os.ReadDir(filepath.Join(dir, "saved"))
	for _, e := range entries {
		if e.IsDir() && CheckLabel(e.Name()) == nil {
			labels = append(labels, e.Name())
		}
	}
	return labels
}

func read(name string) (s Saved, err error) {
	f, err := os.Open(name)
	if err != nil {
		return s, err
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadBytes('\n')
	about, ok := bytes.CutPrefix(line, []byte(mark))
	if err != nil || !ok {
		return s, fmt.Errorf("%s was not saved by threadcall bench: %w", name, cmp.Or(err, fs.ErrInvalid))
	}
	if err := json.Unmarshal(about, &s); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	s.File = name
	return s, nil
}

// escape makes a path a pattern that matches only itself.
func escape(path string) string {
	return regexp.MustCompile(`[*?\[]`).ReplaceAllString(path, "[$0]")
}
