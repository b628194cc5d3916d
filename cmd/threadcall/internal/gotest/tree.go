package gotest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree is Go source, and how to build it.
type Tree struct {
	Dir   string   // where the go command runs; empty: here
	Env   []string // of the go command; nil: that of this process
	Name  string   // of the go command; empty: the one in PATH
	Flags []string // of go build
	Root  string   // the GOROOT, which Toolchain sets
}

// A Package is a package as go list describes it.
type Package struct {
	ImportPath, Dir, ForTest                     string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	Standard, DepOnly                            bool
	Deps                                         []string
	Module                                       *struct {
		Path string
		Main bool
	}
	Error *struct{ Err string }
}

// HasTests reports whether the package has test files.
func (p Package) HasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// HasBenchmarks reports whether a test file of the package declares a benchmark.
func (p Package) HasBenchmarks() bool {
	return slices.ContainsFunc(slices.Concat(p.TestGoFiles, p.XTestGoFiles), func(name string) bool {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		return err != nil || bytes.Contains(text, []byte("\nfunc Benchmark"))
	})
}

// List returns the packages that match the patterns. No patterns stand for the package in the
// tree's directory. The packages in missing were named, but are not in the tree; each is a sentence
// that says why.
func (t Tree) List(ctx context.Context, patterns ...string) (packages []Package, missing []string,
	err error) {
	all, err := t.list(ctx, nil, patterns)
	for _, p := range all {
		if p.HasTests() || p.Error == nil || strings.Contains(p.Error.Err, "no non-test Go files") {
			packages = append(packages, p)
		} else {
			reason, _, _ := strings.Cut(p.Error.Err, "\n")
			missing = append(missing, fmt.Sprintf("%s: %s", p.ImportPath, reason))
		}
	}
	return packages, missing, err
}

// ListDeps returns the packages that match the patterns, and everything that they and their tests
// depend on, which is DepOnly.
func (t Tree) ListDeps(ctx context.Context, patterns ...string) ([]Package, error) {
	all, err := t.list(ctx, []string{"-deps", "-test"}, patterns)
	all = slices.DeleteFunc(all, func(p Package) bool {
		return strings.HasSuffix(p.ImportPath, ".test") || p.ForTest != ""
	})
	named := false
	for _, p := range all {
		named = named || !p.DepOnly
		if !p.DepOnly && p.Error != nil {
			err = cmp.Or(err, errors.New(p.Error.Err))
		}
	}
	if err == nil && !named {
		err = fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	return all, err
}

func (t Tree) list(ctx context.Context, flags, patterns []string) (packages []Package, err error) {
	fields := "-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Error,Module," +
		"Standard,DepOnly,ForTest"
	if flags != nil {
		fields += ",Deps" // which takes longer
	}
	out, err := t.Go(ctx, slices.Concat([]string{"list", "-e", fields}, flags, t.Flags,
		[]string{"--"}, patterns)...)
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p Package
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// Go runs the go command and returns what it writes to its standard output. What it complains about
// is in the error. If ctx is done, the error is its cause.
func (t Tree) Go(ctx context.Context, args ...string) ([]byte, error) {
	stdout, stderr, err := t.Output(ctx, args...)
	if errors.As(err, new(*exec.ExitError)) {
		if len(stderr) == 0 {
			stderr = bytes.TrimSpace(stdout)
		}
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, stderr)
	}
	return stdout, err
}

// Output runs the go command and returns what it writes. If ctx is done, the error is its cause.
func (t Tree) Output(ctx context.Context, args ...string) (stdout, stderr []byte, err error) {
	cmd := exec.CommandContext(ctx, cmp.Or(t.Name, "go"), args...)
	cmd.Dir, cmd.Env = t.Dir, t.Environ()
	if t.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+t.Dir)
	}
	stdout, stderr, err = Output(ctx, cmd)
	if errors.Is(err, exec.ErrNotFound) {
		err = errors.New("the go command is needed, and not in PATH")
	}
	return stdout, stderr, err
}

// Environ returns a copy of the environment of the go command.
func (t Tree) Environ() []string {
	if t.Env == nil {
		return os.Environ()
	}
	return slices.Clone(t.Env)
}

// Build compiles the tests of p into the file, which must be absolute, with the tree's flags and
// those given. The binary has the environment that go test gives it. Toolchain comes before.
func (t Tree) Build(ctx context.Context, p Package, file string, flags ...string) (*Binary, error) {
	// A go command that is killed leaves its temporary files. Those next to the file are removed
	// when that is.
	t.Env = append(t.Environ(), "GOTMPDIR="+filepath.Dir(file))
	stdout, stderr, err := t.Output(ctx, slices.Concat([]string{"test", "-c", "-vet=off", "-o", file},
		t.Flags, flags, []string{p.ImportPath})...)
	output := string(bytes.TrimSpace(append(stdout, stderr...)))
	if err == nil {
		if _, err = os.Stat(file); err == nil {
			path := filepath.Join(t.Root, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
			return &Binary{Package: p.ImportPath, Path: file, Dir: p.Dir,
				Env: append(os.Environ(), "PWD="+p.Dir, "GOROOT="+t.Root, "PATH="+path)}, nil
		}
		output += "\nno test binary was made"
	} else if !errors.As(err, new(*exec.ExitError)) {
		return nil, err
	}
	return nil, fmt.Errorf("cannot build the tests of %s:\n%s", p.ImportPath, output)
}

// Toolchain returns the version of Go that builds the tree, and sets a GOROOT of which overlays can
// replace files. The go command refuses those in the module cache, where it has put toolchains that
// a go.mod file asks for. So the tree is then built by way of a link to the toolchain, in dir.
func (t *Tree) Toolchain(ctx context.Context, dir string) (version string, err error) {
	out, err := t.Go(ctx, "env", "GOVERSION", "GOROOT", "GOMODCACHE")
	if err != nil {
		return "", err
	}
	env := strings.Split(strings.ReplaceAll(string(out), "\r", ""), "\n")
	if t.Root = env[1]; !strings.HasPrefix(t.Root, env[2]+string(filepath.Separator)) {
		return env[0], nil
	}
	link := filepath.Join(dir, filepath.Base(t.Root))
	if err := os.Symlink(t.Root, link); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	t.Root, t.Name = link, filepath.Join(link, "bin", "go")
	t.Env = append(t.Environ(), "GOROOT="+link, "GOTOOLCHAIN=local")
	return env[0], nil
}
