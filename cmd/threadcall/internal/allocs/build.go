package allocs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/hook"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A builder compiles tests so that each benchmark leaves a profile of everything that it allocated,
// and so that the compiler logs its reasons. No file is changed: package hook is compiled in by the
// go command's -overlay.
type builder struct {
	gotest.Tree
	dir     string      // absolute, for all files
	overlay string      // the file with package hook
	asked   []string    // packages that the compiler is asked about when tests are compiled
	log     *escape.Log // what it has said in all builds so far
}

// tree returns the source as the settings build it. The flags are stronger than GOFLAGS: files must
// have the same paths in stacks, in what the compiler logs, and in what the go command lists.
func (s Settings) tree() gotest.Tree {
	return gotest.Tree{Dir: s.Dir, Flags: []string{"-trimpath=false"}}
}

// newBuilder returns a builder for the named packages.
func (s Settings) newBuilder(ctx context.Context, dir string, named, all []gotest.Package) (builder,
	error) {
	b := builder{Tree: s.tree(), dir: dir, log: escape.New()}
	b.Env = append(b.Environ(), "GOTMPDIR="+dir) // where its files are removed even if it is killed
	for _, p := range named {
		if p.Standard {
			return b, fmt.Errorf("allocs: %s is a package of the standard library, to which package "+
				"testing belongs", p.ImportPath)
		}
	}
	for _, p := range all {
		if !p.DepOnly || p.Module != nil && p.Module.Main {
			b.asked = append(b.asked, p.ImportPath)
		}
	}
	slices.Sort(b.asked)
	b.asked = slices.Compact(b.asked)
	_, goroot, err := b.Toolchain(ctx, dir)
	if err == nil {
		b.overlay, err = hook.Overlay(goroot, dir)
	}
	return b, err
}

// escapes is where the compiler writes its reasons.
func (b builder) escapes() string { return filepath.Join(b.dir, "escapes") }

// test compiles the tests of a package, with more flags. Name is part of the names of its files.
func (b builder) test(ctx context.Context, p gotest.Package, name string, flags ...string) (*binary,
	error) {
	flags = append(flags, "-p=1")
	for _, path := range b.asked {
		flags = append(flags, escape.Flag(path, b.escapes()))
	}
	bin := &binary{gotest.Binary{Path: filepath.Join(b.dir, name+".test.exe"), Dir: p.Dir,
		Env: append(os.Environ(), "PWD="+p.Dir)}, p.ImportPath}
	if err := b.Build(ctx, p, bin.Path, append(flags, "-overlay", b.overlay)...); err != nil {
		return nil, err
	}
	return bin, b.readReasons()
}

// listings compiles packages with their tests for the compiler's listings of the functions in the
// packages that are asked for, and its reasons. The places of calls in functions of the packages in
// exact are those of all inlined calls.
func (b builder) listings(ctx context.Context, named, exact []string) ([]budget.Compiled, error) {
	var flags, long []string
	for _, path := range b.asked {
		flags = append(flags, escape.Flag(path, b.escapes(), "-S"))
	}
	for _, path := range exact {
		long = append(long, "-gcflags="+path+"=-S -S")
	}
	functions, err := b.listing(ctx, flags, named)
	if err != nil {
		return nil, err
	}
	if err := b.readReasons(); err != nil {
		return nil, err
	}
	outer, err := b.listing(ctx, long, named)
	budget.SetOuter(functions, outer)
	return functions, err
}

func (b builder) listing(ctx context.Context, flags, paths []string) ([]budget.Compiled, error) {
	_, out, err := b.Output(ctx, slices.Concat([]string{"list", "-test", "-export", "-f", "", "-p=1"},
		b.Flags, flags, []string{"--"}, paths)...)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("allocs: compiling for the listing: %w\n%s", err,
			gotest.Decisive(string(out), 12))
	}
	return budget.ReadListing(string(out)), err
}

// readReasons takes what the compiler has said in a build. The next one writes to the same files
// about a package as it is, after this one about that as its own tests see it, for which more
// generic functions may have been compiled.
func (b builder) readReasons() error {
	if err := b.log.Read(b.escapes()); err != nil {
		return err
	}
	return os.RemoveAll(b.escapes())
}
