// Package build compiles the benchmarks of Go packages, as they are in the working tree and as they were in a revision.
package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gocmd"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/process"
)

// A Tree is Go source, and how to build it.
type Tree struct {
	Dir   string   // where the go command runs
	Env   []string // of the go command; nil stands for that of this process
	Flags []string // of go build
}

// A Package is a package that has tests.
type Package struct {
	ImportPath string
	Dir        string
}

// List returns the packages that the patterns mean and that have test files. No patterns stand for the package in the
// tree's directory. The packages in missing were named, but are not in the tree.
func (t Tree) List(ctx context.Context, patterns ...string) (packages []Package, missing []string, err error) {
	args := append([]string{"list", "-e", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,Error,Incomplete,IgnoredGoFiles"}, t.listFlags()...)
	out, err := t.run(ctx, append(append(args, "--"), patterns...)...)
	if err != nil {
		return nil, nil, err
	}
	type listed struct {
		Package
		TestGoFiles, XTestGoFiles []string
		Error                     *struct{ Err string }
	}
	all, err := gocmd.Packages[listed](out)
	for _, p := range all {
		switch {
		case len(p.TestGoFiles)+len(p.XTestGoFiles) > 0:
			packages = append(packages, p.Package)
		case p.Error != nil && !strings.Contains(p.Error.Err, "no non-test Go files"):
			missing = append(missing, fmt.Sprintf("%s: %s", p.ImportPath, firstLine(p.Error.Err)))
		}
	}
	return packages, missing, err
}

// listFlags are those that decide which files are built.
func (t Tree) listFlags() []string {
	var flags []string
	for _, f := range t.Flags {
		for _, name := range []string{"-tags", "-race", "-mod", "-modfile"} {
			if f == name || strings.HasPrefix(f, name+"=") {
				flags = append(flags, f)
			}
		}
	}
	return flags
}

// A CompileError is what the compiler said.
type CompileError struct {
	Package string
	Output  string
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("cannot build the tests of %s:\n%s", e.Package, e.Output)
}

// Compile compiles the test binary of p into the file. What the compiler finds wrong is a CompileError.
func (t Tree) Compile(ctx context.Context, p Package, file string) error {
	args := append([]string{"test", "-c", "-vet=off", "-o", file}, t.Flags...)
	cmd := t.command(ctx, append(args, p.ImportPath)...)
	// A go command that is interrupted leaves its temporary files where they are. Beside the file, they go when that goes.
	cmd.Env = append(cmd.Env, "GOTMPDIR="+filepath.Dir(file))
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, new(*exec.ExitError)):
		return &CompileError{p.ImportPath, strings.TrimSpace(string(out))}
	case err != nil:
		return err
	}
	if _, err := os.Stat(file); err != nil {
		return &CompileError{p.ImportPath, strings.TrimSpace(string(out)) + "\nno test binary was made"}
	}
	return nil
}

// Toolchain returns the version of Go that builds the tree, and GOROOT.
func (t Tree) Toolchain(ctx context.Context) (version, root string, err error) {
	out, err := t.run(ctx, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return "", "", err
	}
	version, root, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return version, strings.TrimSpace(root), nil
}

// run returns what the go command writes to its standard output.
func (t Tree) run(ctx context.Context, args ...string) ([]byte, error) {
	return gocmd.Output(ctx, t.command(ctx, args...))
}

func (t Tree) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := process.Command(ctx, "go", args...)
	cmd.Dir = t.Dir
	cmd.Env = append(t.environ(), "PWD="+t.Dir)
	return cmd
}

func (t Tree) environ() []string {
	if t.Env == nil {
		return os.Environ()
	}
	return t.Env
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
