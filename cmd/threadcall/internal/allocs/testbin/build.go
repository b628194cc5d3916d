package testbin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
)

// A Binary is the compiled tests of one package.
type Binary struct {
	Package Package
	File    string
}

// A Builder compiles into a directory of its own.
type Builder struct {
	Settings Settings
	Dir      string      // temporary and absolute, the caller's to remove
	Asked    []string    // import paths of the packages that the compiler is asked about
	Log      *escape.Log // what it has said in all builds so far
}

// goCommand lets the go command have its own temporary files in the directory, where they are removed even if it cannot
// do so itself.
func (b Builder) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	return b.Settings.goCommand(ctx, []string{"GOTMPDIR=" + b.Dir}, args...)
}

func (b Builder) log() string { return filepath.Join(b.Dir, "escapes") }

// Build compiles the tests of a package.
func (b Builder) Build(ctx context.Context, p Package, number int) (*Binary, error) {
	if !p.Standard && p.Module != nil && !p.Module.Main {
		cache, err := b.goCommand(ctx, "env", "GOMODCACHE")
		if err != nil {
			return nil, err
		}
		if dir := strings.TrimSpace(string(cache)); dir != "" && strings.HasPrefix(p.Dir, dir) {
			return nil, fmt.Errorf("%s is in the module cache, to which the go command lets nothing be added; "+
				"copy %s elsewhere, make it writable, and run there", p.ImportPath, p.Dir)
		}
	}
	overlay, err := b.inject(p, number)
	if err != nil {
		return nil, err
	}
	bin := &Binary{Package: p, File: filepath.Join(b.Dir, fmt.Sprintf("%d.test.exe", number))}
	args := append([]string{"test", "-c", "-p=1", "-vet=off", "-o", bin.File, "-overlay", overlay}, b.Settings.flags()...)
	for _, path := range b.Asked {
		args = append(args, escape.Flag(path, b.log()))
	}
	return bin, b.ask(ctx, append(args, p.ImportPath))
}

// Covered compiles the tests of a package so that they tell which functions of the packages are reached.
func (b Builder) Covered(ctx context.Context, p Package, number int, packages string) (*Binary, error) {
	bin := &Binary{Package: p, File: filepath.Join(b.Dir, fmt.Sprintf("%d.cover.exe", number))}
	args := append([]string{"test", "-c", "-vet=off", "-o", bin.File, "-cover", "-covermode=atomic", "-coverpkg=" + packages},
		b.Settings.flags()...)
	_, err := b.goCommand(ctx, append(args, p.ImportPath)...)
	return bin, err
}

// writeOverlay writes the overlay that replaces files by others.
func (b Builder) writeOverlay(number int, replace map[string]string) (string, error) {
	name := filepath.Join(b.Dir, fmt.Sprintf("%d.overlay.json", number))
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, text, 0o666)
}

// Sources compiles packages for the compiler's reasons alone. The settings name them by their directories; those that
// are of other modules are left out, unless the settings ask for them. It returns what was compiled.
func (b Builder) Sources(ctx context.Context) ([]Package, error) {
	var asked []Package
	var paths []string
	for _, dir := range b.Settings.Packages {
		one := b.Settings
		one.Packages = []string{dir}
		named, _, err := one.List(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && (b.Settings.Deps || named[0].Module != nil && named[0].Module.Main) {
			asked = append(asked, named[0])
			paths = append(paths, named[0].ImportPath)
		}
	}
	return asked, b.Compile(ctx, paths)
}

// Compile compiles packages, without their tests, for the compiler's reasons alone.
func (b Builder) Compile(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	args := append([]string{"build", "-p=1", "-o", os.DevNull}, b.Settings.flags()...)
	for _, path := range paths {
		args = append(args, escape.Flag(path, b.log()))
	}
	return b.ask(ctx, append(args, paths...))
}

// ask compiles, and takes what the compiler has said about that. The next build writes to the same files about a package
// as it is, after this one about that as its own tests see it, for which more generic functions may have been compiled.
func (b Builder) ask(ctx context.Context, args []string) error {
	if _, err := b.goCommand(ctx, args...); err != nil {
		return err
	}
	if err := b.Log.Read(b.log()); err != nil {
		return err
	}
	return os.RemoveAll(b.log())
}
