package allocs

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
	"github.com/threadcall/threadcall/internal/record"
)

// What is compiled into the binary. Names begin so that they are no other's. It must be Go as old as a module may ask for.
const (
	variable = "THREADCALL_ALLOCS_TEST" // names the file for the profile
	added    = "zz_threadcall_allocs_test.go"

	// The rate is set while package variables are made, which is before TestMain.
	callback = `
var threadcallAllocsBegan = func() time.Time {
	if os.Getenv("` + variable + `") != "" {
		runtime.MemProfileRate = 1
	}
	return time.Now()
}()

func threadcallAllocsRun(m interface{ Run() int }) int {
	status := m.Run()
	if file := os.Getenv("` + variable + `"); file != "" {
		if err := threadcallAllocsWrite(file, threadcallAllocsBegan); err != nil {
			println("the profile of allocations:", err.Error())
			if status == 0 {
				status = 1
			}
		}
	}
	return status
}
`
	testMain = `
func TestMain(m *testing.M) { os.Exit(threadcallAllocsRun(m)) }
`
)

// errTestMain means that the tests of a package cannot be made to leave a profile.
var errTestMain = errors.New("its TestMain does not call m.Run itself")

// inject writes an overlay by which p's tests call threadcallAllocsRun: in a TestMain of its own, or in place of m.Run in p's.
// The overlay also replaces the files in more.
func (b builder) inject(p gotest.Package, number string, more map[string]string) (file string, err error) {
	replace := maps.Clone(more)
	if replace == nil {
		replace = map[string]string{}
	}
	pkg, rest, timers := p.Name+"_test", testMain, map[string]bool{}
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		file := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		changed, of, err := replaceRun(file, text)
		if err != nil {
			return "", err
		}
		if changed != nil {
			pkg, rest, text = of, "", changed
		}
		if timed, of := replaceTimer(file, text); timed != nil && (!p.Standard || strings.HasSuffix(of, "_test")) { // else a cycle of imports
			changed, timers[of] = timed, true
		}
		if changed == nil {
			continue
		}
		replace[file] = filepath.Join(b.dir, number+"."+name)
		if err := os.WriteFile(replace[file], changed, 0o666); err != nil {
			return "", err
		}
	}
	for of := range timers {
		name := "zz_threadcall_timer_" + of + "_test.go"
		if !strings.HasSuffix(of, "_test") {
			name = "zz_threadcall_timer_test.go"
		}
		replace[filepath.Join(p.Dir, name)] = filepath.Join(b.dir, number+"."+name)
		source := strings.Replace(record.Source, "\npackage record\n", "\npackage "+of+"\n", 1)
		source = strings.Replace(source, "\nfunc Write(", "\nfunc threadcallAllocsBase(", 1) + timer
		source = strings.Replace(source, "\n\t\"time\"\n", "\n\t\"testing\"\n\t\"time\"\n", 1)
		if err := os.WriteFile(filepath.Join(b.dir, number+"."+name), []byte(source), 0o666); err != nil {
			return "", err
		}
	}
	source := strings.Replace(record.Source, "\npackage record\n", "\npackage "+pkg+"\n", 1)
	source = strings.Replace(source, "\nfunc Write(", "\nfunc threadcallAllocsWrite(", 1) + callback + rest
	if rest != "" {
		source = strings.Replace(source, "\n\t\"time\"\n", "\n\t\"testing\"\n\t\"time\"\n", 1)
	}
	name := filepath.Join(b.dir, number+".added.go")
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		return "", err
	}
	replace[filepath.Join(p.Dir, added)] = name
	return overlay.Write(filepath.Join(b.dir, number+".overlay.json"), replace)
}

// replaceRun returns text with threadcallAllocsRun in place of m.Run, and its package, or nil if there is no TestMain in it. No line
// gets another number.
func replaceRun(file string, text []byte) (changed []byte, pkg string, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", nil // the compiler reports it
	}
	for _, d := range parsed.Decls {
		main, ok := d.(*ast.FuncDecl)
		if !ok || main.Name.Name != "TestMain" || main.Recv != nil || main.Body == nil {
			continue
		}
		params := main.Type.Params.List
		if len(params) != 1 || len(params[0].Names) != 1 {
			return nil, "", fmt.Errorf("%s: %w", files.Position(main.Pos()), errTestMain)
		}
		m := params[0].Names[0].Name
		var calls []*ast.CallExpr
		ast.Inspect(main.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" {
					if x, ok := sel.X.(*ast.Ident); ok && x.Name == m {
						calls = append(calls, call)
					}
				}
			}
			return true
		})
		if len(calls) == 0 {
			return nil, "", fmt.Errorf("%s: %w", files.Position(main.Pos()), errTestMain)
		}
		return overlay.Apply(text, callEdits(files, text, calls, func(*ast.CallExpr) string { return "threadcallAllocsRun(" + m + ")" })), parsed.Name.Name, nil
	}
	return nil, "", nil
}

// callEdits replaces calls. No line gets another number.
func callEdits(files *token.FileSet, text []byte, calls []*ast.CallExpr, other func(*ast.CallExpr) string) (edits []overlay.Edit) {
	for _, c := range calls {
		from, to := files.Position(c.Pos()).Offset, files.Position(c.End()).Offset
		edits = append(edits, overlay.Edit{From: from, To: to, Text: other(c) + strings.Repeat("\n", bytes.Count(text[from:to], []byte("\n")))})
	}
	return edits
}
