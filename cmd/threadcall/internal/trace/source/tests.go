package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gocmd"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/interrupt"
)

// Tests are flags of go test, and mean what they mean there. What is zero is not given.
type Tests struct {
	Run, Bench, Benchtime string
	Count                 int
	CPU                   string
	Timeout               time.Duration // if it is negative there is none
	Short, Verbose        bool

	Tags string
	Race bool
}

func (t Tests) buildFlags() (flags []string) {
	if t.Tags != "" {
		flags = append(flags, "-tags="+t.Tags)
	}
	if t.Race {
		flags = append(flags, "-race")
	}
	return flags
}

// flags returns those of a test binary. What go test adds is added.
func (t Tests) flags() []string {
	timeout := t.Timeout
	if timeout == 0 {
		timeout = 10 * time.Minute
	}
	flags := []string{"-test.paniconexit0", "-test.timeout=" + max(0, timeout).String()}
	add := func(name, value string) {
		if value != "" {
			flags = append(flags, "-test."+name+"="+value)
		}
	}
	add("run", t.Run)
	add("bench", t.Bench)
	add("benchtime", t.Benchtime)
	if t.Count != 0 {
		add("count", strconv.Itoa(t.Count))
	}
	add("cpu", t.CPU)
	if t.Short {
		add("short", "true")
	}
	if t.Verbose {
		add("v", "true")
	}
	return flags
}

var errInterrupted = errors.New("interrupted")

type pkg struct {
	path, dir string
}

// runTests does what go test -trace does for each package in turn, but compiles first: so a package that does not
// compile is told from tests that fail, and an interrupt reaches the tests themselves.
func (r Request) runTests(ctx context.Context, yield func(*Trace, error) bool) {
	r.doing("looking for the packages")
	packages, err := r.list(ctx)
	if err == nil && r.Keep != "" && len(packages) > 1 {
		err = fmt.Errorf("%d packages have tests, and each has a trace; to keep it in %s name one of them, as %s",
			len(packages), r.Keep, packages[0].path)
	}
	if err != nil {
		yield(nil, err)
		return
	}
	for _, p := range packages {
		more := false
		if err := inTemp(func(dir string) error {
			binary := filepath.Join(dir, "test.exe")
			r.doing("compiling the tests of %s", p.path)
			if err := r.compile(ctx, p, binary); err != nil {
				return err
			}
			trace, err := r.place(dir)
			if err != nil {
				return err
			}
			r.doing("running the tests of %s", p.path)
			cmd := exec.Command(binary, append(r.Tests.flags(), "-test.trace="+trace)...)
			cmd.Dir = p.dir
			cmd.Env = append(os.Environ(), "PWD="+p.dir)
			failed := r.run(ctx, cmd)
			if !recorded(trace) {
				if failed == nil {
					failed = errors.New("its TestMain may end the process before m.Run has returned")
				}
				return fmt.Errorf("the tests of %s have left no trace: %w", p.path, failed)
			}
			if failed != nil {
				failed = fmt.Errorf("the tests of %s have failed: %w", p.path, failed)
			}
			more = read(trace, "go test "+p.path, dir, failed, yield)
			return nil
		}); err != nil {
			more = yield(nil, err)
		}
		if !more || ctx.Err() != nil {
			return
		}
	}
}

// list returns the packages that match and have tests.
func (r Request) list(ctx context.Context) (packages []pkg, err error) {
	args := append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles"}, r.Tests.buildFlags()...)
	out, err := gocmd.Output(ctx, exec.CommandContext(ctx, "go", append(append(args, "--"), r.Packages...)...))
	switch {
	case ctx.Err() != nil:
		return nil, errInterrupted
	case err != nil:
		return nil, err
	}
	type listed struct {
		ImportPath, Dir           string
		TestGoFiles, XTestGoFiles []string
	}
	all, err := gocmd.Packages[listed](out)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			packages = append(packages, pkg{p.ImportPath, p.Dir})
		}
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("no tests in %s", strings.Join(r.Packages, " "))
	}
	return packages, nil
}

func (r Request) compile(ctx context.Context, p pkg, binary string) error {
	args := append([]string{"test", "-c", "-o", binary}, r.Tests.buildFlags()...)
	cmd := exec.CommandContext(ctx, "go", append(args, p.path)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = interrupt.Patience
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return fmt.Errorf("the tests of %s do not compile:\n%s", p.path, bytes.TrimSpace(out))
	}
	return nil
}
