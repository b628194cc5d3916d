package budget

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// values are conversions to an interface that need no memory for small values.
var values = []string{"runtime.convT16", "runtime.convT32", "runtime.convT64"}

// Code looks for promises that the compiled functions break: in the functions that have promised,
// with what is inlined in them, and in the functions that they call directly and that were compiled
// with them. Reasons are from the log.
func (c *Check) Code(functions []Compiled, log *escape.Log) {
	w := walk{c, log, source{}, map[string][]*Compiled{}}
	for i := range functions {
		f := &functions[i]
		w.functions[f.symbol] = append(w.functions[f.symbol], f)
	}
	for _, f := range c.Functions {
		seen := map[*Compiled]bool{}
		for i := range functions {
			if c.at(functions[i].at) == f {
				w.visit(f, &functions[i], nil, seen)
			}
		}
		slices.Sort(f.Calls)
		f.Calls = slices.Compact(f.Calls)
	}
}

// at returns the function that has promised and that the line belongs to.
func (c *Check) at(p report.Position) *alloc.Function {
	for _, f := range c.Functions {
		if f.File == p.File && f.Line <= p.Line && p.Line <= f.To {
			return f
		}
	}
	return nil
}

// A walk goes through the compiled functions.
type walk struct {
	*Check
	log *escape.Log
	source
	functions map[string][]*Compiled // by symbol
}

// visit looks at the calls of a compiled function, which f calls, or which is f or a literal in it
// if via is empty.
func (w *walk) visit(f *alloc.Function, of *Compiled, via []string, seen map[*Compiled]bool) {
	if seen[of] {
		return
	}
	seen[of] = true
	for _, call := range of.calls {
		if w.excuse(call.at) || w.excuse(call.outer) || w.panics(call.at) || w.panics(call.outer) {
			continue
		}
		if strings.HasPrefix(call.target, "runtime.") {
			w.allocation(f, call, via)
			continue
		}
		if call.target == "" {
			at := call.at
			if len(via) == 0 {
				at = call.outer
			}
			if w.calls(call.at) {
				note(&f.Notes, alloc.Problem{Position: at,
					Reason: "calls a method of an interface or a function value"})
			}
			continue
		}
		own, pkg := w.functions[call.target], symbol.Package(call.target)
		// Cgo's code for a call of C has conversions to interfaces that never run.
		ofCgo := func(c *Compiled) bool { return alloc.Frame{Position: c.at}.OfCgo() }
		if own == nil || w.packages[pkg].Standard || slices.ContainsFunc(own, ofCgo) {
			if !unnoted.MatchString(pkg) {
				f.Calls = append(f.Calls, symbol.Short(call.target))
			}
			continue
		}
		for _, callee := range own {
			if w.at(callee.at) == nil {
				w.visit(f, callee, append(via[:len(via):len(via)], symbol.Short(callee.symbol)), seen)
			}
		}
	}
}

// unnoted are packages whose functions that the compiler calls or that are inlined do not allocate,
// or only into caches.
var unnoted = regexp.MustCompile(
	`^(runtime|sync|sync/atomic|internal/.*|unsafe|math|math/bits|time|type:.*)?$`)

// allocation judges a call of the runtime.
func (w *walk) allocation(f *alloc.Function, call call, via []string) {
	kind := heap.Called(call.target)
	if kind.What == "" {
		return
	}
	reason := w.reason(call, kind.Name)
	text, list := reason, &f.Broken
	switch {
	case kind.Adds && !w.grows(call.at, kind.Name):
		text, list = kind.What+" allocates if there is no room", &f.Notes
	case reason == "" && kind.Limit != "":
		text = kind.What + " allocates above " + kind.Limit
	case reason == "":
		text = kind.What + " is allocated"
	case slices.Contains(values, call.target):
		text += "; values below 256 need no memory"
	}
	p := alloc.Problem{Position: call.outer, Reason: text}
	if len(via) > 0 {
		p.Position = call.at
		p.Reason += ", in " + via[len(via)-1] + ", which it calls"
		if len(via) > 1 {
			p.Reason += " by way of " + strings.Join(via[:len(via)-1], " and ")
		}
	} else if call.at != call.outer && reason == "" {
		p.Reason += fmt.Sprintf(" (inlined from %s)", call.at)
	}
	note(list, p)
}

// reason returns the compiler's reason to put the thing on the heap.
func (w *walk) reason(call call, kind string) string {
	fallback := ""
	for _, e := range w.log.Around(call.at) {
		switch at := e.Outermost(); {
		case e.Constant():
		case e.Suits(kind) && at.File == call.outer.File && at.Line == call.outer.Line:
			return e.String()
		case kind == "new" || kind == "interface" || kind == "array":
			fallback = e.String()
		}
	}
	return fallback
}

// The compiler's assembly listings, the output of -S, say which functions a compiled function
// calls, and among them those of the runtime that allocate. What the compiler logs about escapes is
// its intention; the listing is what was compiled.

// A call is one of a function.
type call struct {
	target string          // its symbol: example.com/p.(*T).M; empty if it is indirect
	at     report.Position // of the call, in the inlined function if it is in one
	outer  report.Position // in the function that was compiled
}

// A Compiled is a compiled function, a literal, or a wrapper.
type Compiled struct {
	symbol string
	at     report.Position
	calls  []call
}

// ReadListing reads what a go command with -gcflags=-S has printed, in which the place of a call is
// that in the inlined function.
func ReadListing(output string) (functions []Compiled) {
	var current *Compiled
	for text := range strings.Lines(output) {
		text = strings.TrimRight(text, "\r\n")
		if !strings.HasPrefix(text, "\t") {
			current = nil
			if symbol, _, found := strings.Cut(text, " STEXT "); found {
				functions = append(functions, Compiled{symbol: plain(symbol)})
				current = &functions[len(functions)-1]
			}
			continue
		}
		_, rest, found := strings.Cut(text, " (")
		at, instruction, both := strings.Cut(rest, ")\t")
		if current == nil || !strings.HasPrefix(text, "\t0x") || !found || !both {
			continue
		}
		switch op, operand, _ := strings.Cut(instruction, "\t"); op {
		case "TEXT":
			if current.at.File == "" {
				current.at = lineOf(at)
			}
		case "CALL", "JMP", "BL", "B":
			target, direct := strings.CutSuffix(operand, "(SB)")
			if !direct {
				target = ""
			}
			if direct || op == "CALL" || op == "BL" { // not a jump in the function
				p := lineOf(at)
				current.calls = append(current.calls, call{plain(target), p, p})
			}
		}
	}
	return functions
}

// plain removes the ABI of a symbol in the long form of the listing.
func plain(symbol string) string {
	for _, abi := range []string{"<0>", "<1>", "<ABIInternal>"} {
		symbol = strings.TrimSuffix(symbol, abi)
	}
	return symbol
}

func lineOf(text string) report.Position {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return report.Position{}
	}
	n, _ := strconv.Atoi(text[i+1:])
	return report.Position{File: filepath.FromSlash(text[:i]), Line: n}
}

// SetOuter takes the places in the functions that were compiled from a listing with the flag -S
// given twice, which has those instead. Functions that are not in it, or not the same, keep what
// they have.
func SetOuter(functions, outer []Compiled) {
	known := map[string][]Compiled{}
	for _, f := range outer {
		known[f.symbol] = append(known[f.symbol], f)
	}
	for i := range functions {
		for _, o := range known[functions[i].symbol] {
			same := func(a, b call) bool { return a.target == b.target }
			if slices.EqualFunc(functions[i].calls, o.calls, same) {
				for j := range o.calls {
					functions[i].calls[j].outer = o.calls[j].at
				}
				break
			}
		}
	}
}

// A source knows the syntax of files, by name: which expression a line of the compiler's listing is
// about.
type source map[string]*checked

type checked struct {
	files  *token.FileSet
	parsed *ast.File
	info   types.Info
}

// load parses a file and resolves its names. Other files and packages are not needed: a variable of
// a function is known without.
func (s source) load(name string) *checked {
	c, known := s[name]
	if known {
		return c
	}
	s[name] = nil
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	c = &checked{files, parsed, types.Info{Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{}}}
	config := types.Config{Error: func(error) {}, Importer: nowhere{}}
	// It finds many errors, which do not matter.
	_, _ = config.Check(c.parsed.Name.Name, c.files, []*ast.File{c.parsed}, &c.info)
	s[name] = c
	return c
}

// nowhere is an importer of empty packages.
type nowhere struct{}

func (nowhere) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// includes reports whether the node includes the line.
func (c *checked) includes(n ast.Node, line int) bool {
	return c.files.Position(n.Pos()).Line <= line && line <= c.files.Position(n.End()).Line
}

// any reports whether a node that includes the line satisfies the condition. Without the file, none
// does.
func (s source) any(at report.Position, is func(*checked, ast.Node) bool) (found bool) {
	c := s.load(at.File)
	if c == nil {
		return false
	}
	ast.Inspect(c.parsed, func(n ast.Node) bool {
		inside := n != nil && c.includes(n, at.Line)
		found = found || inside && is(c, n)
		return inside && !found
	})
	return found
}

// panics reports whether the line is of an argument of panic.
func (s source) panics(at report.Position) bool {
	return s.any(at, func(_ *checked, n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && builtin(call, "panic")
	})
}

// calls reports whether something is called in the line, and not only deferred. What is deferred is
// called, as a function value, in the line where the function ends.
func (s source) calls(at report.Position) (found bool) {
	c := s.load(at.File)
	if c == nil {
		return true
	}
	ast.Inspect(c.parsed, func(n ast.Node) bool {
		_, deferred := n.(*ast.DeferStmt)
		call, ok := n.(*ast.CallExpr)
		found = found || ok && c.includes(call, at.Line)
		return !found && !deferred
	})
	return found
}

func builtin(call *ast.CallExpr, name string) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == name
}

// grows reports whether the line appends to a slice, or for the kind "map" assigns to an element,
// that the function has made itself.
func (s source) grows(at report.Position, kind string) bool {
	return s.any(at, func(c *checked, n ast.Node) bool {
		switch e := n.(type) {
		case *ast.CallExpr:
			return kind == "append" && builtin(e, "append") && len(e.Args) > 0 &&
				c.made(e.Args[0], map[types.Object]bool{})
		case *ast.IndexExpr:
			return kind == "map" && c.made(e.X, map[types.Object]bool{})
		}
		return false
	})
}

// made reports whether the value of the expression, a slice or map, was made by the function that
// it is in, so that its first room is on the stack and all that it needs more is allocated. A value
// from elsewhere may have room.
func (c *checked) made(e ast.Expr, seen map[types.Object]bool) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.made(e.X, seen)
	case *ast.SliceExpr:
		return c.made(e.X, seen)
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		if builtin(e, "append") {
			return len(e.Args) > 0 && c.made(e.Args[0], seen)
		}
		_, conversion := e.Fun.(*ast.ArrayType)
		return conversion || builtin(e, "make")
	case *ast.Ident:
		if e.Name == "nil" {
			return true
		}
		v, ok := c.info.ObjectOf(e).(*types.Var)
		if !ok || v.Kind() != types.LocalVar && v.Kind() != types.ResultVar {
			return false
		}
		if seen[v] {
			return true // it is what its other values are
		}
		seen[v] = true
		return c.only(v, func(value ast.Expr) bool { return c.made(value, seen) })
	}
	return false
}

// only reports whether all values that the variable gets satisfy the condition.
func (c *checked) only(v *types.Var, ok func(ast.Expr) bool) bool {
	all := true
	is := func(e ast.Expr) bool {
		id, isName := e.(*ast.Ident)
		return isName && c.info.ObjectOf(id) == v
	}
	assigned := func(left, right []ast.Expr) {
		for i, e := range left {
			all = all && !(is(e) && (len(left) != len(right) || !ok(right[i])))
		}
	}
	ast.Inspect(c.parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			assigned(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			var names []ast.Expr
			for _, name := range n.Names {
				names = append(names, name)
			}
			if len(n.Values) > 0 {
				assigned(names, n.Values)
			}
		case *ast.RangeStmt:
			assigned([]ast.Expr{n.Key, n.Value}, nil)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				assigned([]ast.Expr{n.X}, nil)
			}
		}
		return all
	})
	return all
}
