package budget

import (
	"fmt"
	"path/filepath"
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
}

// at returns the function that has promised and that the line belongs to.
func (c *Check) at(p report.Position) *alloc.Function {
	for _, f := range c.Functions {
		if f.Has(p) {
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
func (w *walk) visit(f *alloc.Function, i int, via []string, seen map[int]bool) {
	if seen[i] {
		return
	}
	seen[i] = true
	for _, call := range w.functions[i].calls {
		if w.excuse(call.at) || w.excuse(call.outer) ||
			w.source.load(call.at.File).panics(call.at.Line) ||
			w.source.load(call.outer.File).panics(call.outer.Line) {
			continue
		}
		switch {
		case call.target == "":
			at := call.at
			if len(via) == 0 {
				at = call.outer
			}
			if w.source.load(call.at.File).calls(call.at.Line) {
				note(&f.Notes, alloc.Problem{Position: at,
					Reason: "calls a method of an interface or a function value"})
			}
			continue
		case strings.HasPrefix(call.target, "runtime."):
			w.allocation(f, call, via)
			continue
		}
		own, known := w.bySymbol[call.target]
		// Cgo's code for a call of C has conversions to interfaces that never run.
		ofCgo := func(j int) bool { return alloc.Frame{Position: w.functions[j].at}.OfCgo() }
		if !known || w.standard[symbol.Package(call.target)] || slices.ContainsFunc(own, ofCgo) {
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
func (w *walk) allocation(f *alloc.Function, call call, via []string) {
	kind := heap.Called(call.target)
	if kind.What == "" {
		return
	}
	reason := w.reason(call, kind.Name)
	text, list := reason, &f.Broken
	adds := strings.HasPrefix(call.target, heap.Growslice) ||
		strings.HasPrefix(call.target, heap.Mapassign)
	switch {
	case adds && !w.source.load(call.at.File).grows(call.at.Line, kind.Name):
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
