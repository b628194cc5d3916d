package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

const traceUsage = `Usage:

  threadcall trace [flags] FILE
  threadcall trace [flags] PACKAGES
  threadcall trace [flags] -- COMMAND [ARGUMENTS]

Trace reads an execution trace of the Go runtime and reports what stands out,
what the heap and the collector did, how many goroutines and threads there were,
what goroutines waited for, where, and what ended the waits, how goroutines
moved from thread to thread and why, what locked threads did, how long
threadcall's calls were queued and ran, and where the time of one task went. To
look closer, -from, -to, -goroutine and -place select a part, of which -html
shows goroutines and threads in a page.

The trace comes from a file ("-" is the standard input), from a run of the
tests of packages, or from a command whose program records one when it is asked
to, by these lines:

  import "github.com/threadcall/threadcall/recorder"
  func main() { recorder.Start(); defer recorder.Stop(); ... }

It ends with status 0, 1 if there was no trace or what recorded it failed, and
2 if it did not understand the command.
`

// A traceCommand has where reports go.
type traceCommand struct {
	*command
	progress *ui.Screen
	json     bool
	html     string
	path     read.Selector
	pathOf   string // as it was requested
	look     lanes.Selection
	reports  []*report.Report
}

func runTrace(c *command) error {
	o := &traceCommand{command: c, progress: ui.On(c.stderr)}
	from := source.Request{Stdout: c.stdout, Stderr: c.stderr, Doing: func(what string) {
		o.progress.Progress("")
		fmt.Fprintln(o.progress, o.progress.Faint(ui.Plain(what)))
	}}
	c.BoolVar(&o.json, "json", false, "print one JSON document instead")
	c.StringVar(&o.html, "html", "", "also write a web page with pictures to this `file`")
	c.StringVar(&from.Keep, "o", "", "keep the trace that is recorded in this `file`")
	o.Func("path", "also report the critical path of a `task`: its ID, its type for the longest one,\nor goroutine=ID, or slow for the last call that OnSlowCall reported", func(text string) (err error) {
		o.pathOf = text
		o.path, err = read.ParseSelector(text)
		return err
	})
	o.defineSelection()
	o.defineTests(&from)
	args, program, err := c.parse()
	if err != nil {
		return err
	}
	from.Command = program
	if program == nil && len(args) == 0 {
		return errors.New("no trace is asked for; give a file, packages, or a command after --")
	}
	if from.File, from.Packages, err = source.Classify(args); err != nil {
		return err
	}
	if err := distinct(slices.DeleteFunc([]string{from.File}, func(name string) bool { return name == "" || name == "-" }), target{"o", from.Keep}, target{"html", o.html}); err != nil {
		return err
	}
	missing := slices.IndexFunc(from.Packages, func(arg string) bool {
		return slices.Contains([]string{".trace", ".out", ".gz"}, filepath.Ext(arg))
	})
	switch {
	case o.look.To > 0 && o.look.To <= o.look.From:
		return fmt.Errorf("-to %v is not after -from %v", o.look.To, o.look.From)
	case missing >= 0:
		return failure{fmt.Errorf("there is no file %s", from.Packages[missing])}
	case len(from.Packages) == 0 && len(from.TestFlags)+len(from.BuildFlags) > 0:
		return errors.New("flags of tests are for packages")
	case from.File != "" && from.Keep != "":
		return errors.New("-o is for traces that are recorded now, not for a file")
	}
	if o.json {
		from.Stdout = c.stderr // the document stands alone
	}
	return o.run(from)
}

// defineTests defines flags of go test.
func (o *traceCommand) defineTests(from *source.Request) {
	test := func(name string, check func(string) error) func(string) error {
		return func(value string) error {
			from.TestFlags = append(from.TestFlags, "-test."+name+"="+value)
			return check(value)
		}
	}
	build := func(name string) func(string) error {
		return func(value string) error {
			from.BuildFlags = append(from.BuildFlags, "-"+name+"="+value)
			return nil
		}
	}
	anything := func(string) error { return nil }
	o.Func("run", "run the tests that match the `pattern`; for this flag and the following see go help testflag", test("run", anything))
	o.Func("bench", "run the benchmarks that match the `pattern`, too", test("bench", anything))
	o.Func("benchtime", "how long or how often to run each benchmark, a `time` or 100x", test("benchtime", checkBenchtime))
	o.Func("count", "run each test `n` times", test("count", func(value string) error {
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			return errors.New("must be a number and not negative")
		}
		return nil
	}))
	o.Func("cpu", "the `list` of values of GOMAXPROCS to run with", test("cpu", func(value string) error { _, err := cpuList(value); return err }))
	o.Func("timeout", "how long the tests of a package may run, `d`; 0 means for ever (default 10m)",
		test("timeout", func(value string) error { _, err := time.ParseDuration(value); return err }))
	o.BoolFunc("short", "make tests short", test("short", anything))
	o.BoolFunc("v", "make tests verbose", test("v", anything))
	o.Func("tags", "the `list` of build tags", build("tags"))
	o.BoolFunc("race", "build with the race detector", build("race"))
}

// run reads all traces and shows the reports. It goes on when one cannot be had.
func (o *traceCommand) run(from source.Request) error {
	ctx := context.Background()
	if from.File == "" {
		var stop func()
		ctx, stop = interruptible(statusWrong, o.progress)
		defer stop()
	}
	var failed []error
	for t, err := range source.Open(ctx, from) {
		if err == nil {
			err = o.read(t)
			failed = append(failed, t.Failed)
		}
		failed = append(failed, err)
	}
	switch {
	case o.json && len(o.reports) == 1:
		failed = append(failed, writeJSON(o.stdout, o.reports[0]))
	case o.json && len(o.reports) > 1:
		failed = append(failed, writeJSON(o.stdout, o.reports))
	}
	return fail(errors.Join(failed...))
}

func (o *traceCommand) read(t *source.Trace) error {
	w, err := o.lanes()
	if err != nil {
		return err
	}
	if w != nil {
		defer w.Close()
	}
	var window *read.Window
	r, err := read.Trace(t.Reader, read.Options{
		Name:     t.Name,
		Lanes:    w,
		Path:     o.path,
		Window:   func(w read.Window) { window = &w },
		Progress: func(n int64) { o.progress.Progress(readSoFar(t.Name, n, t.Size)) },
	})
	o.progress.Progress("")
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if t.Failed != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("What recorded the trace did not end well: %v.", t.Failed))
	}
	var noPath error
	if o.pathOf != "" {
		noPath = o.addPath(t, window, r)
	}
	o.reports = append(o.reports, r)
	if w != nil {
		err = o.looked(r, w)
	}
	if !o.json && (err == nil || o.look.Whole()) {
		out := ui.On(o.stdout)
		if len(o.reports) > 1 {
			fmt.Fprintln(out)
		}
		if writeText(out, r); out.Err != nil {
			return out.Err
		}
	}
	return errors.Join(err, noPath)
}

// numbered returns the name of an output of the report that was made last; each trace has its own.
func (o *traceCommand) numbered(file string) string {
	if n := len(o.reports); n > 1 {
		ext := filepath.Ext(file)
		file = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(file, ext), n, ext)
	}
	return file
}

// readSoFar ends with the name, which may be long, and may be a command of several lines.
func readSoFar(name string, n, size int64) string {
	name = ui.Plain(strings.Join(strings.Fields(name), " "))
	if size <= 0 {
		return fmt.Sprintf("reading %s: %s", ui.Bytes(n), name)
	}
	return fmt.Sprintf("reading %s of %s, %d %%: %s", ui.Bytes(n), ui.Bytes(size), min(100, 100*n/size), name)
}
