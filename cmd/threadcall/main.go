// Command threadcall shows what package threadcall does on the machine at hand, and measures and
// looks into any Go program: whether a change made it faster (bench), which thread runs what
// (trace), what allocates (allocs), and which calls are on the wrong thread (vet).
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/demo"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	if vetTool(os.Args[1:]) {
		runVetTool(os.Args[1:])
	}
	mainthread.Init(func() {
		// Not by a return to Init: that has no status to give, and would wait for a function that
		// hangs on the main thread.
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	})
}

// The statuses of the process.
const (
	statusOK    = 0
	statusWrong = 1 // something was not as expected, or could not be written
	statusUsage = 2 // the command was not understood, or bench could not measure all
)

// A command is one that was typed.
type command struct {
	flag.FlagSet
	args           []string
	stdout, stderr *os.File
}

var commands = map[string]func(c *command) error{
	"allocs": runAllocs, "bench": runBench, "demo": runDemo, "trace": runTrace, "vet": runVet,
}

//go:embed usage
var usages embed.FS

// usage returns what -help prints of a command before its flags.
func usage(command string) string {
	text, _ := usages.ReadFile("usage/" + command + ".txt") // there is one of each
	return string(text)
}

// A failure is an error of a command that was understood.
type failure struct {
	error
	status int
}

// fail returns err as a failure, or nil if it is nil.
func fail(status int, err error) error {
	if err == nil {
		return nil
	}
	return failure{err, status}
}

// run runs the command and returns the status.
func run(args []string, stdout, stderr *os.File) int {
	if len(args) == 2 && args[0] == "help" {
		args = []string{args[1], "-help"}
	}
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, usage("threadcall"))
		return statusOK
	}
	if args[0] == "version" {
		version := "(unknown)"
		if info, ok := debug.ReadBuildInfo(); ok {
			version = info.Main.Version
		}
		fmt.Fprintf(stdout, "threadcall %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS,
			runtime.GOARCH)
		return statusOK
	}
	run := commands[args[0]]
	if run == nil {
		fmt.Fprintf(stderr, "threadcall: unknown command %q\nRun 'threadcall -help' for those that "+
			"there are.\n", args[0])
		return statusUsage
	}
	c := &command{args: args[1:], stdout: stdout, stderr: stderr}
	c.Init(args[0], flag.ContinueOnError)
	c.SetOutput(io.Discard)
	err := run(c)
	switch {
	case err == nil:
		return statusOK
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage(args[0]), "\nThe flags are:\n\n")
		c.SetOutput(stdout)
		c.PrintDefaults()
		return statusOK
	}
	fmt.Fprintf(stderr, "threadcall: %s\n", ui.Plain(err.Error()))
	if f := (failure{}); errors.As(err, &f) {
		return f.status
	}
	fmt.Fprintf(stderr, "Run 'threadcall %s -help' for what it takes.\n", args[0])
	return statusUsage
}

// parseAll parses the flags, which may be among the arguments. It returns those, and what follows
// "--", which is nil if there is none.
func (c *command) parseAll() (args, program []string, err error) {
	left := c.args
	if i := slices.Index(left, "--"); i >= 0 {
		left, program = left[:i], left[i+1:]
	}
	for {
		if err := c.Parse(left); err != nil {
			return nil, nil, err
		}
		if c.NArg() == 0 {
			break
		}
		args, left = append(args, c.Arg(0)), c.Args()[1:]
	}
	switch {
	case program != nil && len(args) > 0:
		return nil, nil, fmt.Errorf("%q and a command exclude each other", args)
	case program != nil && len(program) == 0:
		return nil, nil, errors.New("the command after -- is missing")
	}
	return args, program, nil
}

// parse parses the flags where no command may follow "--"; refusal says why.
func (c *command) parse(refusal string) (args []string, err error) {
	args, program, err := c.parseAll()
	if err == nil && program != nil {
		err = errors.New(refusal)
	}
	return args, err
}

func (c *command) given(name string) (was bool) {
	c.Visit(func(f *flag.Flag) { was = was || f.Name == name })
	return was
}

// interruptible returns a context that the user ends. The status is that of the process if the user
// asks twice.
func interruptible(status int, progress *ui.Screen) (ctx context.Context, stop func()) {
	return gotest.Interruptible(status, func() {
		progress.Progress("")
		fmt.Fprintln(progress, "Stopping. What was measured is kept; another interrupt ends at once.")
	})
}

// print writes a document, or its text.
func (c *command) print(asJSON bool, document any, text func(*ui.Screen)) error {
	if asJSON {
		enc := json.NewEncoder(c.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(document)
	}
	out := ui.On(c.stdout)
	text(out)
	return out.Err
}

func runDemo(c *command) error {
	sample := c.Duration("duration", 100*time.Millisecond, "how long to time calls for a sample")
	args, program, err := c.parseAll()
	switch {
	case err != nil:
		return err
	case len(args)+len(program) > 0:
		return fmt.Errorf("demo takes flags only, not %q", append(args, program...)[0])
	case *sample < time.Millisecond || *sample > time.Minute:
		return fmt.Errorf("the duration of a sample must be from 1ms to 1m0s, not %v", *sample)
	}
	out := ui.On(c.stdout)
	ok := demo.Run(*sample, out)
	if out.Err == nil && !ok {
		return fail(statusWrong, errors.New("not all is as expected"))
	}
	return fail(statusWrong, out.Err)
}
