package build

import (
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
)

//go:embed testdata/*.go.txt
var added embed.FS

// errUnknown means that package testing is not as meter knows it.
var errUnknown = errors.New("this version of package testing is not known")

// meter writes an overlay of package testing for the flag -overlay of the go command into dir, and
// returns its name. It is for the Go version with this GOROOT.
//
// With it, the methods of testing.B that start, stop and reset the timer read the CPU time of the
// process, too: user and system time of all its threads, that of the garbage collector included,
// for exactly the time that ns/op measures. A benchmark then reports cpu-ns/op next to ns/op.
//
// On Linux, it reports also how many threads ran or were ready to run, on average, while the
// benchmark function ran; those that hardly ran do not count. It separates waiting from waiting for
// a CPU: about 1 for a computation in one goroutine, however many other processes there are, and
// about 2 if it uses two CPUs.
func meter(goroot, dir string) (string, error) {
	testing := filepath.Join(goroot, "src", "testing")
	file := filepath.Join(testing, "benchmark.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	changed, err := instrument(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	replace := map[string]string{file: filepath.Join(dir, "benchmark.go")}
	if err := os.WriteFile(replace[file], changed, 0o666); err != nil {
		return "", err
	}
	for _, name := range sources() {
		text, err := added.ReadFile("testdata/" + name + ".go.txt")
		if err != nil {
			return "", err
		}
		file := filepath.Join(testing, "zz_threadcall_"+name+".go")
		replace[file] = filepath.Join(dir, name+".go")
		if err := os.WriteFile(replace[file], text, 0o666); err != nil {
			return "", err
		}
	}
	return overlay.Write(filepath.Join(dir, "overlay.json"), replace)
}

// sources are the files that read the clocks of this system.
func sources() []string {
	switch runtime.GOOS {
	case "linux":
		return []string{"meter", "clock_unix", "ready_linux"}
	case "windows":
		return []string{"meter", "clock_windows", "ready_other"}
	case "plan9", "js", "wasip1":
		return []string{"meter", "clock_other", "ready_other"}
	}
	return []string{"meter", "clock_unix", "ready_other"}
}

// instrument returns benchmark.go with calls of the meter. No line gets another number.
func instrument(text []byte) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "benchmark.go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var edits []overlay.Edit
	missing := map[string]bool{"field": true, "StartTimer": true, "StopTimer": true,
		"ResetTimer": true, "ResetTimer zero": true,
		"runN begin": true, "runN end": true, "launch": true}
	insert := func(what string, at token.Pos, text string) {
		delete(missing, what)
		offset := files.Position(at).Offset
		edits = append(edits, overlay.Edit{From: offset, To: offset, Text: text})
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == "B" {
					if s, ok := s.Type.(*ast.StructType); ok {
						insert("field", s.Fields.Closing, "threadcall threadcallMeter;")
					}
				}
			}
		case *ast.FuncDecl:
			name := d.Name.Name
			if !isMethodOfB(d) || d.Body == nil {
				continue
			}
			ast.Inspect(d.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					switch field := fieldOfB(n.Lhs[0]); {
					case field == "start" && (name == "StartTimer" || name == "ResetTimer"):
						insert(name, n.Pos(), "b.threadcall.start(); ")
					case field == "duration" && name == "StopTimer":
						insert(name, n.End(), "; b.threadcall.stop()")
					case field == "duration" && name == "ResetTimer":
						insert("ResetTimer zero", n.End(), "; b.threadcall.reset()")
					case field == "result" && name == "launch":
						insert("launch", n.Pos(), "b.threadcall.report(b); ")
					}
				case *ast.ExprStmt:
					call, ok := n.X.(*ast.CallExpr)
					if !ok || name != "runN" {
						break
					}
					switch fieldOfB(call.Fun) {
					case "ResetTimer":
						insert("runN begin", n.Pos(), "b.threadcall.begin(); ")
					case "StopTimer":
						insert("runN end", n.End(), "; b.threadcall.end()")
					}
				}
				return true
			})
		}
	}
	if len(missing) > 0 || len(edits) != 8 {
		return nil, errUnknown
	}
	return overlay.Apply(text, edits), nil
}

func isMethodOfB(f *ast.FuncDecl) bool {
	if f.Recv == nil || len(f.Recv.List) != 1 || len(f.Recv.List[0].Names) != 1 ||
		f.Recv.List[0].Names[0].Name != "b" {
		return false
	}
	star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := star.X.(*ast.Ident)
	return ok && of.Name == "B"
}

// fieldOfB returns x of b.x.
func fieldOfB(e ast.Expr) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if b, ok := sel.X.(*ast.Ident); !ok || b.Name != "b" {
		return ""
	}
	return sel.Sel.Name
}
