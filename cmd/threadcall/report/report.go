// Package report has what the JSON documents of several commands have in common. Packages bench,
// trace, alloc and vet have the documents.
package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Position is a place in a source file.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"` // in bytes, from 1
}

// String is as short as a reader needs it.
func (p Position) String() string { return fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line) }

// A Failure is something that did not run to its end. What else ran is reported.
type Failure struct {
	Version string `json:"version,omitempty"` // of a comparison
	Package string `json:"package,omitempty"`
	Name    string `json:"name,omitempty"` // of the benchmark, without "Benchmark"; empty: the package
	Reason  string `json:"reason"`         // the lines of the output that explain it
	Output  string `json:"output,omitempty"`
}

// Of returns the benchmark with its package, or the package.
func (f *Failure) Of() string { return strings.Trim(f.Package+"."+f.Name, ".") }

// A Benchtime is for how long a benchmark runs, as for go test: a time, or a number of operations.
type Benchtime struct {
	Time time.Duration
	N    int
}

// UnmarshalText reads 100ms or 1000x.
func (b *Benchtime) UnmarshalText(text []byte) (err error) {
	*b = Benchtime{}
	if count, ok := strings.CutSuffix(string(text), "x"); ok {
		b.N, err = strconv.Atoi(count)
	} else {
		b.Time, err = time.ParseDuration(string(text))
	}
	if err != nil || b.Time < 0 || b.N < 0 || *b == (Benchtime{}) {
		err = errors.New("must be a time such as 100ms or a number such as 1000x")
	}
	return err
}

// String returns what UnmarshalText reads.
func (b Benchtime) String() string {
	if b.N > 0 {
		return fmt.Sprintf("%dx", b.N)
	}
	return b.Time.String()
}

func (b Benchtime) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// CPUs is a list of GOMAXPROCS, as for go test: 1,2,4. The empty one stands for the default.
type CPUs []int

// Set reads a list.
func (c *CPUs) Set(text string) error {
	*c = nil
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(one))
		if err != nil || n < 1 {
			return errors.New("must be a list of numbers such as 1,2,4")
		}
		*c = append(*c, n)
	}
	return nil
}

// String returns what Set reads.
func (c CPUs) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(c)), " ", ","), "[]")
}
