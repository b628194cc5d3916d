package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// benchstat runs go test for the old revision, then for the new one, and compares what they wrote.
func benchstat(program, old, new string) func(scratch string, e effort) (trial, error) {
	return func(scratch string, e effort) (trial, error) {
		if err := os.Mkdir(scratch, 0o755); err != nil {
			return trial{}, err
		}
		args := []string{"-format", "csv"}
		for i, dir := range []string{old, new} {
			cmd := exec.Command("go", "test", "-run", "^$", "-bench", benchmarks, "-count", strconv.Itoa(e.count), "-benchtime", e.benchtime)
			cmd.Dir = dir
			out, err := cmd.Output()
			if err != nil {
				return trial{}, fmt.Errorf("%w\n%s", err, out)
			}
			file := fmt.Sprintf("%s/%d.txt", scratch, i)
			if err := os.WriteFile(file, out, 0o644); err != nil {
				return trial{}, err
			}
			args = append(args, file)
		}
		out, err := exec.Command(program, args...).Output()
		if err != nil {
			return trial{}, err
		}
		return verdicts(out)
	}
}

// verdicts reads the table that benchstat writes as CSV: name, old, interval, new, interval, change, p.
func verdicts(table []byte) (t trial, err error) {
	seen := 0
	for line := range bytes.Lines(table) {
		fields, err := csv.NewReader(bytes.NewReader(line)).Read()
		if err != nil || len(fields) != 7 {
			continue
		}
		name := nameOf(fields[0])
		change, differs := fields[5], fields[5] != "~"
		switch name {
		case "Same":
			t.falseAlarm = differs
			seen++
		case "Slower":
			t.miss = !strings.HasPrefix(change, "+")
			if differs {
				percent, err := strconv.ParseFloat(strings.TrimSuffix(change, "%"), 64)
				if err != nil {
					return t, fmt.Errorf("benchstat's change %q: %w", change, err)
				}
				t.change = percent / 100
			}
			seen++
		}
	}
	if seen != 2 {
		return t, fmt.Errorf("benchstat's table has not both benchmarks:\n%s", table)
	}
	return t, nil
}
