package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"
)

// print writes a line, and what went wrong.
func (r result) print(out io.Writer) {
	if r.left != "" {
		fmt.Fprintf(out, "LEFT OUT %s: %s\n", r.port, r.left)
		return
	}
	mark := "ok  "
	if !r.ok() {
		mark = "FAIL"
	}
	fmt.Fprintf(out, "%s %-14s %-26s %4d passed, %2d skipped, %d failed  %5.0f s\n", mark, r.port, r.on, r.passed, r.skipped,
		r.failed, r.time.Seconds())
	for _, reason := range slices.Sorted(maps.Keys(r.reasons)) {
		fmt.Fprintf(out, "     %d skipped: %s\n", r.reasons[reason], reason)
	}
	if !r.ok() {
		fmt.Fprintln(out, r.output)
	}
}

// page returns the page old with other results between two marks.
func page(old []byte, results []result) ([]byte, error) {
	const begin, end = "<!-- results -->\n", "<!-- end of results -->\n"
	before, rest, found := bytes.Cut(old, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !found || !ended {
		return nil, fmt.Errorf("the page has no lines %q and %q", begin, end)
	}
	var b bytes.Buffer
	b.Write(before)
	fmt.Fprintf(&b, "%sOn %s, with %s on %d cores:\n\n", begin, time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU())
	b.WriteString("| port | runs | passed | skipped | failed | seconds |\n| --- | --- | --- | --- | --- | --- |\n")
	reasons := map[string][]string{}
	for _, r := range results {
		if r.left != "" {
			reason, _, _ := strings.Cut(r.left, "\n")
			fmt.Fprintf(&b, "| %s | not run: %s | | | | |\n", r.port, reason)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %.0f |\n", r.port, r.on, r.passed, r.skipped, r.failed, r.time.Seconds())
		for reason, n := range r.reasons {
			reasons[reason] = append(reasons[reason], fmt.Sprintf("%s (%d)", r.port, n))
		}
	}
	b.WriteString("\nTests count with their subtests, run with `-short`; the seconds include compiling. Skipped, and where:\n\n")
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		where := strings.Join(reasons[reason], ", ")
		if len(reasons[reason]) == len(results) {
			where = "everywhere"
		}
		fmt.Fprintf(&b, "- %s: %s\n", reason, where)
	}
	b.WriteString(end)
	b.Write(after)
	return b.Bytes(), nil
}
