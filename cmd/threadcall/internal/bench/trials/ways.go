package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/known"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// benchmarks are those that are compared.
const benchmarks = "^Benchmark(Same|Slower)$"

// A way compares the old revision with the new one. It may keep files in the directory scratch, which it makes.
type way struct {
	name    string
	compare func(scratch string, e effort) (trial, error)
}

// prepare makes the revisions and the programs in dir.
func prepare(dir string) ([]way, error) {
	repository, old := filepath.Join(dir, "repository"), filepath.Join(dir, "old")
	for _, d := range []string{repository, old} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := known.WriteRepository(repository); err != nil {
		return nil, err
	}
	if err := known.Before.Write(old); err != nil {
		return nil, err
	}
	for name, path := range map[string]string{
		"threadcall": "github.com/threadcall/threadcall/cmd/threadcall",
		"benchstat":  "golang.org/x/perf/cmd/benchstat",
	} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), path).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build %s: %w\n%s", path, err, out)
		}
	}
	return []way{
		{"threadcall bench -vs", alternating(filepath.Join(dir, "threadcall"), repository)},
		{"go test -count for each revision, benchstat", benchstat(filepath.Join(dir, "benchstat"), old, repository)},
	}, nil
}

// alternating runs threadcall bench.
func alternating(program, repository string) func(scratch string, e effort) (trial, error) {
	return func(scratch string, e effort) (trial, error) {
		if err := os.Mkdir(scratch, 0o755); err != nil {
			return trial{}, err
		}
		cmd := exec.Command(program, "bench", "-vs", known.Old, "-bench", benchmarks, "-count", strconv.Itoa(e.count),
			"-benchtime", e.benchtime, "-o", filepath.Join(scratch, "bench.txt"), "-json")
		cmd.Dir = repository
		out, err := cmd.Output()
		if err != nil {
			return trial{}, fmt.Errorf("%w\n%s", err, out)
		}
		return judged(out)
	}
}

// judged reads the document of threadcall bench.
func judged(document []byte) (t trial, err error) {
	var found struct{ Comparison stats.Comparison }
	if err := json.Unmarshal(document, &found); err != nil {
		return t, err
	}
	seen := 0
	for _, table := range found.Comparison.Tables {
		if table.Unit != "sec/op" {
			continue
		}
		for _, row := range table.Rows {
			delta := row.Deltas[1]
			switch nameOf(row.Name) {
			case "Same":
				t.falseAlarm = delta.Visible()
				seen++
			case "Slower":
				t.miss = delta.Verdict != stats.Worse
				t.change = delta.Change()
				seen++
			}
		}
	}
	if seen != 2 {
		return t, fmt.Errorf("the document has not both benchmarks:\n%s", document)
	}
	return t, nil
}
