// Package listing reads the compiler's assembly listings, the output of -S: which functions a compiled function calls, and
// among them those of the runtime that allocate. What the compiler logs about escapes is its intention; the listing is
// what was compiled.
package listing

import (
	"bufio"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// A Place is a line of a source file.
type Place struct {
	File string
	Line int
}

// A Call is a direct call of a function.
type Call struct {
	Target string // its symbol: runtime.newobject, example.com/p.(*T).M
	At     Place  // the line of the call, in the inlined function if it is in one
	Outer  Place  // the line in the function that was compiled
}

// A Function is a compiled function, a literal, or a wrapper.
type Function struct {
	Symbol string
	At     Place
	Calls  []Call
}

// Read reads the output of a go command with -gcflags=-S, in which the place of a call is that in the inlined function.
func Read(r io.Reader) (functions []Function, err error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	var current *Function
	for {
		text, err := lines.ReadString('\n')
		if text == "" && err != nil {
			if err == io.EOF {
				return functions, nil
			}
			return nil, err
		}
		text = strings.TrimRight(text, "\r\n")
		if !strings.HasPrefix(text, "\t") {
			current = nil
			if symbol, _, found := strings.Cut(text, " STEXT "); found {
				functions = append(functions, Function{Symbol: plain(symbol)})
				current = &functions[len(functions)-1]
			}
			continue
		}
		if current == nil || !strings.HasPrefix(text, "\t0x") {
			continue
		}
		_, rest, found := strings.Cut(text, " (")
		at, instruction, both := strings.Cut(rest, ")\t")
		if !found || !both {
			continue
		}
		op, operand, _ := strings.Cut(instruction, "\t")
		switch {
		case op == "TEXT" && current.At.File == "":
			current.At = placeOf(at)
		case op == "CALL" || op == "JMP" || op == "BL" || op == "B":
			if target, direct := strings.CutSuffix(operand, "(SB)"); direct {
				p := placeOf(at)
				current.Calls = append(current.Calls, Call{plain(target), p, p})
			}
		}
	}
}

// plain removes the ABI of a symbol in the long form of the listing.
func plain(symbol string) string {
	for _, abi := range []string{"<0>", "<1>", "<ABIInternal>"} {
		symbol = strings.TrimSuffix(symbol, abi)
	}
	return symbol
}

func placeOf(text string) Place {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return Place{}
	}
	n, _ := strconv.Atoi(text[i+1:])
	return Place{filepath.FromSlash(text[:i]), n}
}

// SetOuter takes the places in the functions that were compiled from a listing with the flag -S given twice, which has
// those instead. Functions that are not in it, or not the same, keep what they have.
func SetOuter(functions, outer []Function) {
	known := map[string][]Function{}
	for _, f := range outer {
		known[f.Symbol] = append(known[f.Symbol], f)
	}
	for i := range functions {
		for _, o := range known[functions[i].Symbol] {
			if same(functions[i].Calls, o.Calls) {
				for j := range o.Calls {
					functions[i].Calls[j].Outer = o.Calls[j].At
				}
				break
			}
		}
	}
}

func same(a, b []Call) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Target != b[i].Target {
			return false
		}
	}
	return true
}
