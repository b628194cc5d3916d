package stats

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Read reads files of benchmark results, each a version, the oldest first. Results that threadcall bench wrote are in
// their rounds again. Lines that are not understood become warnings. An error names the file, and the line if there is
// one, and says what to do.
func Read(names ...string) (*Data, error) {
	d := New(labels(names)...)
	for i, name := range names {
		for _, before := range names[:i] {
			if same(before, name) {
				return nil, fmt.Errorf("%s is given twice: a file does not differ from itself", name)
			}
		}
		if err := d.readFile(i, name); err != nil {
			return nil, err
		}
	}
	d.Warnings = append(d.Warnings, d.mixed()...)
	return d, nil
}

// labels returns the shortest ends of the paths that tell them apart, or the paths.
func labels(names []string) []string {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = filepath.Base(name)
	}
	for i := range short {
		if slices.Index(short, short[i]) != i {
			return slices.Clone(names)
		}
	}
	return short
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return a == b
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func (d *Data) readFile(version int, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // with which programs on Windows begin UTF-8
	if err := foreign(name, text); err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	rounds, err := d.scanLines(version, name, lines)
	if err != nil {
		return err
	}
	before := len(d.results)
	reader := benchfmt.NewReader(bytes.NewReader(text), name)
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.Result:
			_, line := r.Pos()
			d.add(version, rounds[line-1].run, rounds[line-1].number, r)
		case *benchfmt.SyntaxError:
			d.Warnings = append(d.Warnings, fmt.Sprintf("%v: %s", r, shorten(lines[r.Line-1])))
		}
	}
	if err := reader.Err(); err != nil {
		return fmt.Errorf("%w; is this the output of go test -bench?", err)
	}
	for key, have := range reader.Units() {
		if d.Units[key] == nil {
			d.Units[key] = have
		} else if d.Units[key].Value != have.Value {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s: %s of %s is %s, but %s in another file, which is taken",
				name, key.Key, have.OrigUnit, have.Value, d.Units[key].Value))
		}
	}
	if len(d.results) == before {
		return fmt.Errorf("%s: there is no benchmark result in it; is it the output of go test -bench?", name)
	}
	return nil
}

// foreign returns an error that says what a file is if it can hold no results.
func foreign(name string, text []byte) error {
	switch {
	case len(text) == 0:
		return fmt.Errorf("%s is empty: the run that should have written it failed, or was not started", name)
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		return fmt.Errorf("%s is UTF-16, as PowerShell writes it: convert it to UTF-8", name)
	case bytes.IndexByte(text, 0) >= 0:
		return fmt.Errorf("%s is not text: give the output of go test -bench", name)
	case bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"Action":"`)):
		return fmt.Errorf("%s is the output of go test -json: run go test without -json", name)
	}
	if lines := bytes.Split(text, []byte("\n")); len(lines[len(lines)-1]) > 0 {
		return fmt.Errorf("%s:%d: the file is cut off in this line, which has no end: %s\n"+
			"Measure again, or delete the line to use what is above it", name, len(lines), shorten(string(lines[len(lines)-1])))
	}
	return nil
}

// A place says in which run and round a result was measured.
type place struct {
	run    string
	number int
}

// scanLines returns the round of each line, and notes the failures of benchmarks, which the benchmark format does not
// know.
func (d *Data) scanLines(version int, name string, lines []string) ([]place, error) {
	rounds := make([]place, len(lines))
	now := place{"", -1}
	pkg := ""
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if run, number, ok := parseRound(line); ok {
			now = place{run, number}
		}
		rounds[i] = now
		if rest, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimSpace(rest)
		}
		if rest, ok := strings.CutPrefix(line, "--- FAIL: Benchmark"); ok {
			benchmark, _, _ := strings.Cut(rest, " ")
			d.Fail(version, pkg, benchmark, fmt.Sprintf("failed (%s:%d)", name, i+1))
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s:%d: the program crashed here, so what it did not measure is missing: %s",
				name, i+1, shorten(line)))
		}
		if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
			return nil, fmt.Errorf("%s:%d: an unfinished merge: %s", name, i+1, shorten(line))
		}
	}
	return rounds, nil
}

// mixed returns a warning for each key whose value varies within a version although the benchmark is the same, and for
// machines that differ between versions.
func (d *Data) mixed() []string {
	var warnings []string
	var keys []string
	for _, r := range d.results {
		for _, c := range r.Config {
			if c.File && c.Key != "pkg" && !slices.Contains(keys, c.Key) {
				keys = append(keys, c.Key)
			}
		}
	}
	for _, key := range keys {
		within := make([][]string, len(d.versions)) // values of each version
		varies := make([]bool, len(d.versions))
		type cell struct {
			version   int
			pkg, name string
		}
		first := map[cell]string{}
		for _, r := range d.results {
			value := r.GetConfig(key)
			if !slices.Contains(within[r.version], value) {
				within[r.version] = append(within[r.version], value)
			}
			at := cell{r.version, r.GetConfig("pkg"), r.Name.String()}
			if have, ok := first[at]; ok && have != value {
				varies[r.version] = true
			}
			first[at] = value
		}
		for v, name := range d.versions {
			if varies[v] {
				warnings = append(warnings, fmt.Sprintf("%s: the results of a benchmark vary in %s (%s) and are taken together; choose with -filter, or compare with -col %[2]s",
					name, key, strings.Join(within[v], ", ")))
			}
		}
		if key != "goos" && key != "goarch" && key != "cpu" {
			continue
		}
		for v := 1; v < len(within); v++ {
			if !slices.Equal(within[0], within[v]) {
				warnings = append(warnings, fmt.Sprintf("%s and %s come from different machines (%s: %s; %s): differences may be the machine's",
					d.versions[0], d.versions[v], key, strings.Join(within[0], ", "), strings.Join(within[v], ", ")))
			}
		}
	}
	return warnings
}

// shorten makes a line fit for a message.
func shorten(line string) string {
	line = strings.TrimSpace(line)
	if r := []rune(line); len(r) > 60 {
		return fmt.Sprintf("%q…", string(r[:60]))
	}
	return fmt.Sprintf("%q", line)
}
