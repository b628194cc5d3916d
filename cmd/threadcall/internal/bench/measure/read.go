package measure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Label separates the label of an argument such as old=results.txt, which may be empty, from the
// name of the file. A file of that whole name has no label.
func Label(arg string) (label, file string) {
	label, file, ok := strings.Cut(arg, "=")
	if _, err := os.Stat(arg); err == nil || !ok || label == "" || strings.ContainsAny(label,
		`/\`) {
		return "", arg
	}
	return label, file
}

// Read reads files of benchmark results, each a version, the oldest first, and each with a label if
// it has one. The file - is the standard input. Results that threadcall bench wrote are in their
// rounds again. Lines that are not understood become warnings. An error names the file, and the
// line if there is one, and says what to do.
func Read(args ...string) (*Data, error) {
	d := New(labels(args)...)
	stdin := false
	for i, arg := range args {
		_, name := Label(arg)
		read := os.ReadFile
		if name == "-" {
			if stdin {
				return nil, errors.New("the standard input, -, can be read only once")
			}
			stdin, name = true, "standard input"
			read = func(string) ([]byte, error) { return io.ReadAll(os.Stdin) }
		}
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		if err := d.readText(i, name, text); err != nil {
			return nil, err
		}
	}
	d.compareMachines()
	return d, nil
}

// labels returns the labels that the arguments have, and for the others the base names of the
// paths, or the paths if they would not differ.
func labels(args []string) []string {
	short, long := make([]string, len(args)), make([]string, len(args))
	for i, arg := range args {
		label, name := Label(arg)
		if name == "-" {
			name = "stdin"
		}
		if short[i], long[i] = filepath.Base(name), name; label != "" {
			short[i], long[i] = label, label
		}
	}
	for i := range short {
		if slices.Index(short, short[i]) != i {
			return long
		}
	}
	return short
}

// readText reads the results of a version. The name is for messages.
func (d *Data) readText(version int, name string, text []byte) error {
	// with which programs on Windows begin UTF-8
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if err := foreign(name, text); err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	places := d.scanLines(version, name, lines)
	before := len(d.Results)
	reader := benchfmt.NewReader(bytes.NewReader(text), name)
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.Result:
			_, line := r.Pos()
			d.Add(version, places[line-1], r)
		case *benchfmt.SyntaxError:
			d.Warn("%v: %s", r, shorten(lines[r.Line-1]))
		}
	}
	if err := reader.Err(); err != nil {
		return fmt.Errorf("%w; is this the output of go test -bench?", err)
	}
	for key, have := range reader.Units() {
		d.describe(have)
		if is := d.Units[key].Value; is != have.Value {
			d.Warn("%s: %s of %s is %s, but %s in another file, which is taken", name, key.Key,
				have.OrigUnit, have.Value, is)
		}
	}
	if len(d.Results) == before {
		return fmt.Errorf("%s: there is no benchmark result in it; is it the output of go test "+
			"-bench?", name)
	}
	return nil
}

// foreign returns an error that names what a file is if it can hold no results.
func foreign(name string, text []byte) error {
	switch {
	case len(text) == 0:
		return fmt.Errorf("%s is empty: the run that should have written it failed, or was not "+
			"started", name)
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		return fmt.Errorf("%s is UTF-16, as PowerShell writes it: convert it to UTF-8", name)
	case bytes.IndexByte(text, 0) >= 0:
		return fmt.Errorf("%s is not text: give the output of go test -bench", name)
	case bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"Action":"`)):
		return fmt.Errorf("%s is the output of go test -json: run go test without -json", name)
	}
	if lines := bytes.Split(text, []byte("\n")); len(lines[len(lines)-1]) > 0 {
		return fmt.Errorf("%s:%d: the file is cut off in this line, which has no end: %s\n"+
			"Measure again, or delete the line to use what is above it",
			name, len(lines), shorten(string(lines[len(lines)-1])))
	}
	return nil
}

// scanLines returns the place of each line, and notes the failures of benchmarks, which the
// benchmark format does not know.
func (d *Data) scanLines(version int, name string, lines []string) []Place {
	places := make([]Place, len(lines))
	now := Place{Round: -1}
	pkg := ""
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if at, ok := parseRound(line); ok {
			now = at
		}
		places[i] = now
		if rest, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimSpace(rest)
		}
		if rest, ok := strings.CutPrefix(line, "--- FAIL: Benchmark"); ok {
			benchmark, _, _ := strings.Cut(rest, " ")
			d.Fail(version, pkg, benchmark, fmt.Sprintf("failed (%s:%d)", name, i+1))
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			d.Warn("%s:%d: the program crashed here, so what it did not measure is missing: %s",
				name, i+1, shorten(line))
		}
	}
	return places
}

// compareMachines warns of each version that was measured on another machine than the first.
func (d *Data) compareMachines() {
	for _, key := range []string{"goos", "goarch", "cpu"} {
		values := make([][]string, len(d.Versions))
		for _, r := range d.Results {
			if value := r.GetConfig(key); !slices.Contains(values[r.Version], value) {
				values[r.Version] = append(values[r.Version], value)
			}
		}
		for v := 1; v < len(values); v++ {
			if !slices.Equal(values[0], values[v]) {
				d.Warn("%s and %s come from different machines (%s: %s; %s): differences may be "+
					"the machine's", d.Versions[0], d.Versions[v], key,
					strings.Join(values[0], ", "), strings.Join(values[v], ", "))
			}
		}
	}
}

// shorten makes a line fit for a message.
func shorten(line string) string { return fmt.Sprintf("%q", ui.Head(strings.TrimSpace(line), 60)) }
