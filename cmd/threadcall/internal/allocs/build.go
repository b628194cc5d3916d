package allocs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/hook"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
)

// A builder compiles tests so that each run leaves a profile of everything that it allocated, and
// so that the compiler logs its reasons. Package hook and the calls of it are compiled in by the go
// command's -overlay: no file is changed.
type builder struct {
	gotest.Tree
	dir    string      // absolute, for all files
	module string      // import path of the module that has package hook
	hook   overlayed   // the files of package hook
	asked  []string    // packages that the compiler is asked about when tests are compiled
	log    *escape.Log // what it has said in all builds so far
}

// overlayed has the files that replace others.
type overlayed map[string]string

// tree returns the source as the settings build it. The flags are stronger than GOFLAGS: files must
// have the same paths in stacks, in what the compiler logs, and in what the go command lists.
func (s Settings) tree() gotest.Tree {
	return gotest.Tree{Dir: s.Dir, Flags: []string{"-trimpath=false"}}
}

// builder returns one for the named packages. The go command adds files to modules of the workspace
// and to those that are replaced by a directory.
func (s Settings) builder(dir string, named, all []gotest.Package) (builder, error) {
	b := builder{Tree: s.tree(), dir: dir, hook: overlayed{}, log: escape.New()}
	b.Env = append(b.Environ(), "GOTMPDIR="+dir) // where its files are removed even if it is killed
	for _, p := range named {
		if m := p.Module; m == nil || !m.Main && m.Replace == nil {
			return b, fmt.Errorf("allocs: %s is not in a module of yours, where files can be added; "+
				"run it in a clone of its module", p.ImportPath)
		}
	}
	for _, p := range all {
		if !p.DepOnly || p.Module != nil && p.Module.Main {
			b.asked = append(b.asked, p.ImportPath)
		}
	}
	slices.Sort(b.asked)
	b.asked = slices.Compact(b.asked)
	m := named[0].Module
	b.module = m.Path
	return b, b.hook.add(filepath.Join(m.Dir, hook.Name, "hook.go"), filepath.Join(dir, "hook.go"),
		hook.Source)
}

// add replaces a file by another with this text.
func (o overlayed) add(name, by string, text []byte) error {
	o[name] = by
	return os.WriteFile(by, text, 0o666)
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
	replace := maps.Clone(b.hook)
	if err := b.inject(p, name, replace); err != nil {
		return nil, err
	}
	file, err := overlay.Write(filepath.Join(b.dir, name+".overlay.json"), replace)
	if err != nil {
		return nil, err
	}
	bin := &binary{gotest.Binary{Path: filepath.Join(b.dir, name+".test.exe"), Dir: p.Dir,
		Env: append(os.Environ(), "PWD="+p.Dir)}, p.ImportPath}
	if err := b.Build(ctx, p, bin.Path, append(flags, "-overlay", file)...); err != nil {
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

// errTestMain means that the tests of a package cannot be made to leave a profile.
var errTestMain = errors.New("its TestMain does not call m.Run itself")

const testMain = `package %s_test

import (
	"os"
	"testing"

	hook %q
)

func TestMain(m *testing.M) { os.Exit(hook.Run(m)) }
`

// inject adds files to the overlay by which p's tests call package hook: in place of m.Run, which a
// new TestMain calls if p has none, and of the methods of a benchmark's timer.
func (b builder) inject(p gotest.Package, number string, replace overlayed) error {
	main := false
	path := b.module + "/" + hook.Name
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		file := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		changed, has, err := callHook(file, path, text)
		if err != nil {
			return err
		}
		main = main || has
		if changed == nil {
			continue
		}
		if err := replace.add(file, filepath.Join(b.dir, number+"."+name), changed); err != nil {
			return err
		}
	}
	if main {
		return nil
	}
	const added = "threadcall_hook_test.go"
	return replace.add(filepath.Join(p.Dir, added), filepath.Join(b.dir, number+"."+added),
		fmt.Appendf(nil, testMain, p.Name, path))
}

// callHook returns the text of a test file with calls of the package with that path, and whether it
// has a TestMain. The text is nil if nothing was changed. No line gets another number.
func callHook(file, path string, text []byte) (changed []byte, main bool, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, false, nil // the compiler reports it
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	var edits, begins []overlay.Edit
	call := func(n *ast.CallExpr, function string, arg ast.Expr) {
		from, to := at(n.Pos()), at(n.End())
		lines := strings.Repeat("\n", bytes.Count(text[from:to], []byte("\n")))
		edits = append(edits, overlay.Edit{From: from, To: to, Text: fmt.Sprintf("%s.%s(%s)%s",
			hook.Name, function, arg.(*ast.Ident).Name, lines)})
	}
	benchmarks := map[string]bool{} // names of parameters
	function := func(f *ast.FuncType, body *ast.BlockStmt) {
		for _, name := range ofBenchmark(f) {
			if benchmarks[name] = true; body != nil && name != "_" {
				begin := fmt.Sprintf(" %s.Begin(%s, %[2]s.N);", hook.Name, name)
				begins = append(begins, overlay.Edit{From: at(body.Lbrace) + 1, To: at(body.Lbrace) + 1,
					Text: begin})
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "TestMain" && n.Recv == nil && n.Body != nil {
				main = true
				before := len(edits)
				inspectCalls(n.Body, func(c *ast.CallExpr, x ast.Expr, method string) {
					if m := n.Type.Params.List; method == "Run" && len(m) == 1 && named(m[0], x) {
						call(c, "Run", x)
					}
				})
				if len(edits) == before {
					err = fmt.Errorf("%s: %w", files.Position(n.Pos()), errTestMain)
				}
			}
			function(n.Type, n.Body)
		case *ast.FuncLit:
			function(n.Type, n.Body)
		}
		return true
	})
	timed := len(edits)
	inspectCalls(parsed, func(c *ast.CallExpr, x ast.Expr, method string) {
		if name, ok := x.(*ast.Ident); ok && benchmarks[name.Name] && len(c.Args) == 0 {
			switch method {
			case "StopTimer", "StartTimer", "ResetTimer":
				call(c, method, x)
			}
		}
	})
	if len(edits) > timed {
		edits = append(edits, begins...)
	}
	if len(edits) == 0 || err != nil {
		return nil, main, err
	}
	clause := at(parsed.Name.End())
	edits = append(edits, overlay.Edit{From: clause, To: clause,
		Text: fmt.Sprintf("; import %s %q", hook.Name, path)})
	return overlay.Apply(text, edits), main, nil
}

// inspectCalls calls f for the calls of methods, x.method, in a node.
func inspectCalls(in ast.Node, f func(call *ast.CallExpr, x ast.Expr, method string)) {
	ast.Inspect(in, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				f(call, sel.X, sel.Sel.Name)
			}
		}
		return true
	})
}

// named reports whether x is the name of the parameter.
func named(param *ast.Field, x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && len(param.Names) == 1 && param.Names[0].Name == id.Name
}

// ofBenchmark returns the names of the parameters that are a *testing.B.
func ofBenchmark(f *ast.FuncType) (names []string) {
	for _, field := range f.Params.List {
		if types.ExprString(field.Type) == "*testing.B" {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}
