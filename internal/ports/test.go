package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A result is what became of a port.
type result struct {
	port
	on                      string
	left                    string // why it was not run
	passed, skipped, failed int    // tests, with subtests
	reasons                 map[string]int
	output                  string // of what failed
	broken                  bool   // go test failed
	time                    time.Duration
}

func (r result) ok() bool { return !r.broken && r.failed == 0 }

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
	fmt.Fprintf(out, "%s %-14s %-26s %4d passed, %2d skipped, %d failed  %5.0f s\n", mark, r.port,
		r.on, r.passed, r.skipped,
		r.failed, r.time.Seconds())
	for _, reason := range slices.Sorted(maps.Keys(r.reasons)) {
		fmt.Fprintf(out, "     %d skipped: %s\n", r.reasons[reason], reason)
	}
	if !r.ok() {
		fmt.Fprintln(out, r.output)
	}
}

// An event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string
}

// test runs the tests of packages on p, if it can, and prints the result.
func (p port) test(quick bool, packages []string, timeout time.Duration) (r result) {
	start := time.Now()
	defer func() {
		r.port, r.time = p, time.Since(start)
		r.print(os.Stdout)
	}()
	on, err := p.on(quick)
	if err != nil {
		return result{left: err.Error()}
	}
	if on.end != nil {
		defer on.end()
	}
	args := []string{"test", "-json", "-short", "-count=1", "-timeout", timeout.String()}
	if len(on.program) > 0 {
		args = append(args, "-exec", strings.Join(on.program, " "))
	}
	c := exec.Command("go", append(args, packages...)...)
	c.Env = append(os.Environ(), "GOOS="+p.system, "GOARCH="+p.processor, "CGO_ENABLED=0")
	c.Env = append(c.Env, on.env...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	r = read(stdout.Bytes())
	r.on = on.name
	if r.broken = err != nil; r.broken {
		r.output += stderr.String()
	}
	return r
}

// A skip writes where it is and why.
var where = regexp.MustCompile(`^ *[a-z_0-9]+\.go:[0-9]+: `)

// read counts what go test -json has written.
func read(lines []byte) result {
	r := result{reasons: map[string]int{}}
	outputs := map[string]*strings.Builder{}
	for line := range bytes.Lines(lines) {
		var e event
		if json.Unmarshal(line, &e) != nil {
			r.output += string(line)
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "output":
			if outputs[key] == nil {
				outputs[key] = new(strings.Builder)
			}
			outputs[key].WriteString(e.Output)
		case "build-output":
			r.output += e.Output
		case "pass", "skip", "fail":
			out := ""
			if b := outputs[key]; b != nil {
				out = b.String()
			}
			delete(outputs, key)
			switch {
			case e.Action == "fail":
				r.output += out
				if e.Test != "" {
					r.failed++
				}
			case e.Test == "": // a package
			case e.Action == "pass":
				r.passed++
			default:
				r.skipped++
				r.reasons[cmp.Or(reason(out), e.Test+" says not why")]++
			}
		}
	}
	for key, b := range outputs { // of tests that did not end
		r.output += "did not end: " + key + "\n" + b.String()
	}
	return r
}

// reason finds why a test was skipped, if it says so.
func reason(out string) (last string) {
	for line := range strings.Lines(out) {
		if at := where.FindString(line); at != "" {
			last = strings.TrimSpace(line[len(at):])
		}
	}
	return last
}
