// Package testbin compiles the tests of packages so that each run leaves a profile of everything that it allocated, and
// so that the compiler says why.
//
// The profile is written by a function that is compiled into the test binary beside the package's own files, by way of
// the go command's -overlay: no file of the package is touched.
package testbin

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gocmd"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/process"
)

// A Package is what the go command tells of one.
type Package struct {
	ImportPath   string
	Name         string
	Dir          string
	Standard     bool
	DepOnly      bool
	ForTest      string
	Module       *struct{ Main bool }
	GoFiles      []string
	CgoFiles     []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	Deps         []string
	Error        *struct{ Err string }
}

// Settings say how to compile.
type Settings struct {
	Packages []string // patterns, as the go command has them
	Dir      string   // where to run the go command; empty for here
	Tags     string
	Deps     bool // ask the compiler about the packages of other modules, too
	Std      bool // and about the standard library
}

// List returns the packages that the settings name, and all that they and their tests depend on.
func (s Settings) List(ctx context.Context) (named, all []Package, err error) {
	args := append([]string{"list", "-e", "-deps", "-test", "-json=ImportPath,Name,Dir,Standard,DepOnly,ForTest,Module,GoFiles," +
		"CgoFiles,TestGoFiles,XTestGoFiles,Imports,Deps,Error"}, s.flags()...)
	out, err := s.goCommand(ctx, nil, append(append(args, "--"), s.Packages...)...)
	if err != nil {
		return nil, nil, err
	}
	packages, err := gocmd.Packages[Package](out)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range packages {
		if strings.HasSuffix(p.ImportPath, ".test") || p.ForTest != "" {
			continue
		}
		if !p.DepOnly {
			if p.Error != nil {
				return nil, nil, fmt.Errorf("%s", p.Error.Err)
			}
			named = append(named, p)
		}
		all = append(all, p)
	}
	if len(named) == 0 {
		return nil, nil, fmt.Errorf("no packages match %s", strings.Join(s.Packages, " "))
	}
	return named, all, nil
}

// Asked returns the packages whose reasons the compiler is asked for.
func (s Settings) Asked(all []Package) []string {
	var asked []string
	for _, p := range all {
		switch {
		case p.Standard && (!s.Std || p.ImportPath == "unsafe" || strings.HasPrefix(p.ImportPath, "runtime")):
		case !p.Standard && !s.Deps && p.DepOnly && (p.Module == nil || !p.Module.Main):
		default:
			asked = append(asked, p.ImportPath)
		}
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}

// flags are for all of the go command's subcommands, and stronger than GOFLAGS. Files must have the same paths in stacks, in
// what the compiler says, and in what the go command lists.
func (s Settings) flags() []string {
	flags := []string{"-trimpath=false"}
	if s.Tags != "" {
		flags = append(flags, "-tags="+s.Tags)
	}
	return flags
}

// goCommand returns what the go command prints. Its complaints are the error.
func (s Settings) goCommand(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := process.Command(ctx, "go", args...)
	defer process.End(cmd)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), env...)
	if s.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+s.Dir)
	}
	return gocmd.Output(ctx, cmd)
}

// HasBenchmarks tells whether any of the package's test files declares a benchmark.
func (p Package) HasBenchmarks() bool {
	return slices.ContainsFunc(slices.Concat(p.TestGoFiles, p.XTestGoFiles), func(name string) bool {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		return err != nil || bytes.Contains(text, []byte("\nfunc Benchmark"))
	})
}
