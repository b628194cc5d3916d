package budget

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

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
