package gotest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A CompileError is what the compiler has found wrong with the tests of a package.
type CompileError struct {
	Package string
	Output  string
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("cannot build the tests of %s:\n%s", e.Package, e.Output)
}

// Build compiles the tests of p into the file, which must be absolute, with the tree's flags and those given. What the
// compiler finds wrong is a CompileError.
func (t Tree) Build(ctx context.Context, p Package, file string, flags ...string) error {
	// A go command that is killed leaves its temporary files. Those next to the file are removed when that is.
	t.Env = append(t.Environ(), "GOTMPDIR="+filepath.Dir(file))
	stdout, stderr, err := t.run(ctx, slices.Concat([]string{"test", "-c", "-vet=off", "-o", file}, t.Flags, flags, []string{p.ImportPath}))
	output := string(bytes.TrimSpace(append(stdout, stderr...)))
	if errors.As(err, new(*exec.ExitError)) {
		return &CompileError{p.ImportPath, output}
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); err != nil {
		return &CompileError{p.ImportPath, output + "\nno test binary was made"}
	}
	return nil
}

// Toolchain returns the version of Go that builds the tree, and GOROOT.
func (t Tree) Toolchain(ctx context.Context) (version, root string, err error) {
	out, err := t.Go(ctx, "env", "GOVERSION", "GOROOT")
	version, root, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return version, strings.TrimSpace(root), err
}
