package allocs

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/internal/record"
)

// What is compiled into the binary. Names begin so that they are no other's. It must be Go as old as a module may ask for.
const (
	variable = "THREADCALL_ALLOCS_TEST" // names the file for the profile
	added    = "zz_threadcall_allocs_test.go"

	// The rate is set while package variables are made, which is before TestMain.
	hook = `
var threadcallAllocsBegan = func() time.Time {
	runtime.MemProfileRate = 1
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

// errTestMain says that the tests of a package cannot be made to leave a profile.
var errTestMain = errors.New("its TestMain does not call m.Run itself")

// inject writes an overlay by which p's tests call the hook: in a TestMain of its own, or in place of m.Run in p's.
func (b builder) inject(p gotest.Package, number int) (overlay string, err error) {
	replace := map[string]string{}
	pkg, rest := p.Name+"_test", testMain
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		file := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		changed, of, err := hookInto(file, text)
		if err != nil {
			return "", err
		}
		if changed == nil {
			continue
		}
		pkg, rest = of, ""
		replace[file] = filepath.Join(b.dir, fmt.Sprintf("%d.testmain.go", number))
		if err := os.WriteFile(replace[file], changed, 0o666); err != nil {
			return "", err
		}
	}
	source := strings.Replace(record.Source, "\npackage record\n", "\npackage "+pkg+"\n", 1)
	source = strings.Replace(source, "\nfunc Write(", "\nfunc threadcallAllocsWrite(", 1) + hook + rest
	if rest != "" {
		source = strings.Replace(source, "\n\t\"time\"\n", "\n\t\"testing\"\n\t\"time\"\n", 1)
	}
	name := filepath.Join(b.dir, fmt.Sprintf("%d.hook.go", number))
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		return "", err
	}
	replace[filepath.Join(p.Dir, added)] = name
	return b.writeOverlay(number, replace)
}

// hookInto returns text with the hook in place of m.Run, and its package, or nil if there is no TestMain in it. No line
// gets another number.
func hookInto(file string, text []byte) (changed []byte, pkg string, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", nil // the compiler says it better
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
		var out bytes.Buffer
		done := 0
		for _, c := range calls {
			from, to := files.Position(c.Pos()).Offset, files.Position(c.End()).Offset
			out.Write(text[done:from])
			out.WriteString("threadcallAllocsRun(" + m + ")" + strings.Repeat("\n", bytes.Count(text[from:to], []byte("\n"))))
			done = to
		}
		out.Write(text[done:])
		return out.Bytes(), parsed.Name.Name, nil
	}
	return nil, "", nil
}
