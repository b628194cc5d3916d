package allocs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/listing"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A builder compiles tests so that each run leaves a profile of everything that it allocated, and so that the compiler
// logs its reasons.
//
// The profile is written by a function that is compiled into the test binary with the package's own files, by way of the
// go command's -overlay: no file of the package is touched.
type builder struct {
	gotest.Tree
	dir   string      // absolute, for all files
	asked []string    // import paths of the packages that the compiler is asked about when tests are compiled
	log   *escape.Log // what it has said in all builds so far
}

// tree returns the source as the settings build it. The flags are stronger than GOFLAGS: files must have the same paths in
// stacks, in what the compiler logs, and in what the go command lists.
func (s Settings) tree() gotest.Tree {
	if s.base != nil {
		return *s.base
	}
	t := gotest.Tree{Dir: s.Dir, Flags: []string{"-trimpath=false"}}
	if s.Race {
		t.Flags = append(t.Flags, "-race")
	}
	if s.Tags != "" {
		t.Flags = append(t.Flags, "-tags="+s.Tags)
	}
	return t
}

func (s Settings) builder(dir string, asked []string) builder {
	b := builder{s.tree(), dir, asked, escape.New()}
	b.Env = append(b.Environ(), "GOTMPDIR="+dir) // where its files are removed even if it is killed
	return b
}

// asked returns the packages whose reasons the compiler is asked for: those that are named, and those of the main module or
// workspace.
func asked(all []gotest.Package) []string {
	var asked []string
	for _, p := range all {
		named, ours := !p.DepOnly && p.ImportPath != "unsafe", p.Module != nil && p.Module.Main
		if named || ours {
			asked = append(asked, p.ImportPath)
		}
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}

// escapes is where the compiler writes its reasons.
func (b builder) escapes() string { return filepath.Join(b.dir, "escapes") }

func (b builder) ask(paths []string) (flags []string) {
	for _, path := range paths {
		flags = append(flags, escape.Flag(path, b.escapes()))
	}
	return flags
}

// test compiles the tests of a package.
func (b builder) test(ctx context.Context, p gotest.Package, number int) (*binary, error) {
	overlay, err := b.inject(p, fmt.Sprint(number), nil)
	if err != nil {
		return nil, err
	}
	bin := b.binary(p, fmt.Sprintf("%d.test.exe", number))
	if err := b.Build(ctx, p, bin.Path, append([]string{"-p=1", "-overlay", overlay}, b.ask(b.asked)...)...); err != nil {
		return nil, err
	}
	return bin, b.readReasons()
}

func (b builder) binary(p gotest.Package, name string) *binary {
	return &binary{gotest.Binary{Path: filepath.Join(b.dir, name), Dir: p.Dir, Env: append(os.Environ(), "PWD="+p.Dir)}, p.ImportPath}
}

// instrumented compiles the tests of a package with other texts of some files.
func (b builder) instrumented(ctx context.Context, p gotest.Package, number int, replace map[string]string) (*binary, error) {
	overlay, err := b.inject(p, fmt.Sprintf("%d.seen", number), replace)
	if err != nil {
		return nil, err
	}
	bin := b.binary(p, fmt.Sprintf("%d.seen.exe", number))
	return bin, b.Build(ctx, p, bin.Path, "-overlay", overlay)
}

// listings compiles packages with their tests for the compiler's listings of the functions in the asked packages, and its
// reasons. The places of calls in functions of the packages in exact are those of all inlined calls.
func (b builder) listings(ctx context.Context, named, asked, exact []string) ([]listing.Function, error) {
	var flags, long []string
	for _, path := range asked {
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
	listing.SetOuter(functions, outer)
	return functions, err
}

func (b builder) listing(ctx context.Context, flags, paths []string) ([]listing.Function, error) {
	cmd := exec.Command("go", slices.Concat([]string{"list", "-test", "-export", "-f", "", "-p=1"}, b.Flags, flags, []string{"--"}, paths)...)
	cmd.Dir, cmd.Env = b.Dir, b.Environ()
	if b.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+b.Dir)
	}
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := gotest.Run(ctx, cmd); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if err != nil {
		return nil, fmt.Errorf("compiling for the listing: %w\n%s", err, gotest.Decisive(out.String(), 12))
	}
	return listing.Read(&out)
}

// readReasons takes what the compiler has said in a build. The next one writes to the same files about a package as it is,
// after this one about that as its own tests see it, for which more generic functions may have been compiled.
func (b builder) readReasons() error {
	if err := b.log.Read(b.escapes()); err != nil {
		return err
	}
	return os.RemoveAll(b.escapes())
}
