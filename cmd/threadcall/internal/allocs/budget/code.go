package budget

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// An effect is when a function of the runtime allocates.
type effect int

const (
	never  effect = iota
	always        // whenever it is called, but for values that need no memory
	sized         // above a size, unless the value escapes: then always
	grows         // if what it adds to has no room
)

// effects are of the functions of the runtime that the compiler calls, the first prefix that fits.
// All others do not allocate, or only into caches that goroutines share, such as sudogs: see
// [Check.Benchmark].
var effects = []struct {
	prefix string
	effect effect
	kind   string // as escapes have it
	what   string
	limit  string
}{
	{"runtime.newobject", always, "new", "an object", ""},
	{"runtime.newarray", always, "array", "an array", ""},
	{"runtime.mallocgc", always, "new", "an object", ""},
	{"runtime.makeslicecopy", always, "make", "a copy of a slice", ""},
	{"runtime.makeslice", sized, "make", "make of a slice with a size known at run time", "32 bytes"},
	{"runtime.growslice", grows, "append", "append", "the room that it begins with on the stack, 32 " +
		"bytes if none is made"},
	{"runtime.moveSlice", always, "append", "a slice that append built on the stack is kept", ""},
	{"runtime.makechan", always, "channel", "a channel", ""},
	{"runtime.makemap_small", always, "map", "a map", ""},
	{"runtime.makemap", sized, "map", "make of a map with a size known at run time", "8 elements"},
	{"runtime.mapassign", grows, "map", "an assignment to a map", "8 elements"},
	{"runtime.concatstring", sized, "string", "a string joined with +", "32 bytes"},
	{"runtime.concatbyte", sized, "string", "a string joined with +", "32 bytes"},
	{"runtime.slicebytetostring", sized, "string", "a conversion of bytes to a string", "32 bytes"},
	{"runtime.slicerunetostring", sized, "string", "a conversion of runes to a string", "32 bytes"},
	{"runtime.stringtoslicebyte", sized, "string", "a conversion of a string to bytes", "32 bytes"},
	{"runtime.stringtoslicerune", sized, "string", "a conversion of a string to runes", "32 runes"},
	{"runtime.convT", always, "interface", "a value in an interface", ""},
}

// harmless are functions that begin like one of effects and do not allocate.
var harmless = []string{"runtime.slicebytetostringtmp"}

// values are conversions to an interface that need no memory for small values.
var values = []string{"runtime.convT16", "runtime.convT32", "runtime.convT64"}

// Code looks for promises that the compiled functions break: in the functions that have promised,
// with what is inlined in them, and in the functions that they call directly and that were compiled
// with them. Reasons are from the log.
func (c *Check) Code(functions []Compiled, log *escape.Log) error {
	for _, f := range c.Functions {
		if lost := log.Lost(f.Package, f.File); lost != "" {
			return fmt.Errorf("the promises in %s cannot be checked: %s; move these functions to another "+
				"file", f.File, lost)
		}
	}
	w := walk{c, log, source{}, map[string][]int{}, functions}
	for i, f := range functions {
		w.bySymbol[f.symbol] = append(w.bySymbol[f.symbol], i)
	}
	for _, f := range c.Functions {
		seen := map[int]bool{}
		for i, compiled := range functions {
			if c.at(compiled.at) == f {
				w.visit(f, i, nil, seen)
			}
		}
		slices.Sort(f.Calls)
		f.Calls = slices.Compact(f.Calls)
	}
	return nil
}

// at returns the function that has promised and that the line belongs to.
func (c *Check) at(p line) *Function {
	for _, f := range c.Functions {
		if f.File == p.file && f.from <= p.line && p.line <= f.to {
			return f
		}
	}
	return nil
}

// A walk goes through the compiled functions.
type walk struct {
	*Check
	log       *escape.Log
	source    source
	bySymbol  map[string][]int
	functions []Compiled
}

// visit looks at the calls of a compiled function, which f calls, or which is f or a literal in it
// if via is empty.
func (w *walk) visit(f *Function, i int, via []string, seen map[int]bool) {
	if seen[i] {
		return
	}
	seen[i] = true
	for _, call := range w.functions[i].calls {
		if w.excuse(call.at.file, call.at.line) || w.excuse(call.outer.file, call.outer.line) ||
			w.source.load(call.at.file).panics(call.at.line) ||
			w.source.load(call.outer.file).panics(call.outer.line) {
			continue
		}
		if strings.HasPrefix(call.target, "runtime.") {
			w.allocation(f, call, via)
			continue
		}
		own, known := w.bySymbol[call.target]
		if !known || w.standard[symbol.Package(call.target)] {
			if noted(call.target) {
				f.Calls = append(f.Calls, symbol.Short(call.target))
			}
			continue
		}
		for _, j := range own {
			if callee := w.functions[j]; w.at(callee.at) == nil {
				w.visit(f, j, append(via[:len(via):len(via)], symbol.Short(callee.symbol)), seen)
			}
		}
	}
}

// unnoted are packages whose functions that the compiler calls or that are inlined do not allocate,
// or only into caches.
var unnoted = []string{"runtime", "sync", "sync/atomic", "internal/", "unsafe", "math", "math/bits",
	"time"}

func noted(target string) bool {
	p := symbol.Package(target)
	return p != "" && p != "type:" && !strings.HasPrefix(target, "type:") &&
		!slices.ContainsFunc(unnoted, func(u string) bool {
			return p == u || strings.HasSuffix(u, "/") && strings.HasPrefix(p, u)
		})
}

// allocation judges a call of the runtime.
func (w *walk) allocation(f *Function, call call, via []string) {
	if slices.Contains(harmless, call.target) {
		return
	}
	for _, e := range effects {
		if !strings.HasPrefix(call.target, e.prefix) {
			continue
		}
		text, broken := "", true
		reason := w.reason(call, e.kind)
		expr, made := w.expression(call, e.prefix)
		name := e.what
		if expr != "" {
			name = expr
		}
		small := slices.Contains(values, call.target)
		switch {
		case e.effect == grows && !made:
			text, broken = name+" allocates if there is no room", false
		case e.effect == grows && reason == "":
			text = name + " allocates above " + e.limit
		case e.effect == sized && reason == "":
			text = name + " allocates above " + e.limit
		case reason != "" && small:
			text = reason + "; values below 256 need no memory"
		case reason != "":
			text = reason
		default:
			text = name + " is allocated"
		}
		p := Problem{File: call.outer.file, Line: call.outer.line, Reason: text}
		if len(via) > 0 {
			p.File, p.Line = call.at.file, call.at.line
			p.Reason += ", in " + via[len(via)-1] + ", which it calls"
			if len(via) > 1 {
				p.Reason += " by way of " + strings.Join(via[:len(via)-1], " and ")
			}
		} else if call.at != call.outer && reason == "" {
			p.Reason += fmt.Sprintf(" (inlined from %s)", escape.Position{File: call.at.file,
				Line: call.at.line})
		}
		conditional := e.effect == grows || e.effect == sized && reason == "" || small
		switch {
		case !broken || conditional && len(f.Limits) > 0:
			note(&f.Notes, p)
		default:
			p.Sized = conditional
			note(&f.Broken, p)
		}
		return
	}
}

// reason returns the compiler's reason to put the thing on the heap.
func (w *walk) reason(call call, kind string) string {
	fallback := ""
	for _, e := range w.log.Around(call.at.file, call.at.line) {
		if e.Constant() || !e.Suits(kind) && !(kind == "new" || kind == "interface" || kind == "array") {
			continue
		}
		if at := e.Outermost(); at.File == call.outer.file && at.Line == call.outer.line &&
			e.Suits(kind) {
			return e.String()
		}
		if kind == "new" || kind == "interface" || kind == "array" {
			fallback = e.String()
		}
	}
	return fallback
}

// expression returns the source of what is allocated, if there is only one such thing in the line,
// and whether a slice or map that grows was made in the same function.
func (w *walk) expression(call call, prefix string) (text string, made bool) {
	file := w.source.load(call.at.file)
	is := func(e ast.Expr) bool {
		c, isCall := e.(*ast.CallExpr)
		switch prefix {
		case "runtime.growslice":
			return isCall && builtin(c, "append")
		case "runtime.makeslice", "runtime.makemap":
			return isCall && builtin(c, "make")
		case "runtime.mapassign":
			_, ok := e.(*ast.IndexExpr)
			return ok
		case "runtime.concatstring":
			b, ok := e.(*ast.BinaryExpr)
			return ok && b.Op == token.ADD
		case "runtime.stringtoslicebyte", "runtime.stringtoslicerune":
			if isCall && len(c.Args) == 1 {
				_, ok := c.Fun.(*ast.ArrayType)
				return ok
			}
		case "runtime.slicebytetostring", "runtime.slicerunetostring":
			if isCall && len(c.Args) == 1 {
				id, ok := c.Fun.(*ast.Ident)
				return ok && id.Name == "string"
			}
		}
		return false
	}
	found := file.expressions(call.at.line, is)
	if len(found) == 1 {
		text = types.ExprString(found[0])
	}
	for _, e := range found {
		switch e := e.(type) {
		case *ast.CallExpr:
			made = made || len(e.Args) > 0 && builtin(e, "append") && file.made(e.Args[0])
		case *ast.IndexExpr:
			made = made || file.made(e.X)
		}
	}
	return text, made
}
