// Package stack has the stacks of functions without the engine's frames, and of all goroutines.
package stack

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
)

// Trace formats a stack as the runtime does, from the function that panicked to the engine.
func Trace(stack []uintptr) string {
	var b strings.Builder
	frames := runtime.CallersFrames(stack)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		within := func(p string) bool { return strings.HasSuffix(f.Function, p) }
		if slices.ContainsFunc(callers, within) {
			break
		}
		if f.Function != "" && !slices.ContainsFunc(between, within) {
			fmt.Fprintf(&b, "%s(...)\n\t%s:%d\n", f.Function, f.File, f.Line)
		}
	}
	return b.String()
}

// callers are the functions that call functions of users.
var callers = []string{"/internal/engine.invoke", "/internal/engine.(*target).panicked"}

// between is what may stand between a function and its caller, and is of no interest.
var between = []string{
	"runtime.gopanic", "runtime.goexit", "runtime/trace.WithRegion",
	"/internal/observe.(*Call).call", "/thread.(*Timer).call",
	"/internal/engine.(*Engine).nestedContext",
}

// TraceCaller formats a stack that begins in this module, from the function on that called it.
func TraceCaller(stack []uintptr) string { return Trace(fromCaller(stack)) }

// CallerOf returns the function that called this module, for a stack that begins there.
func CallerOf(stack []uintptr) runtime.Frame {
	f, _ := runtime.CallersFrames(fromCaller(stack)).Next()
	return f
}

// Caller returns the file and line of CallerOf, but for a go statement.
func Caller(stack []uintptr) string {
	f := CallerOf(stack)
	if f.Function == "" || f.Function == "runtime.goexit" {
		return ""
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// fromCaller leaves out this module's functions at the beginning of a stack.
func fromCaller(stack []uintptr) []uintptr {
	for i := range stack {
		f, _ := runtime.CallersFrames(stack[i : i+1]).Next()
		if !Ours(f.Function) {
			return stack[i:]
		}
	}
	return nil
}

// Ours reports whether a function is of this module, and calls functions of users.
func Ours(function string) bool {
	rest, in := strings.CutPrefix(function, "github.com/threadcall/threadcall/")
	pkg, _, _ := strings.Cut(rest, ".")
	return in && (slices.Contains([]string{"thread", "mainthread", "keyed"}, pkg) ||
		strings.HasPrefix(pkg, "internal/"))
}

const maxStacks = 64 << 20

// Goroutines are the numbers and the stacks of all goroutines, as runtime.Stack writes them, each
// once. The program stops while they are taken: first those that fit into 64 kB, and as long as the
// loop goes on, again with room for more.
func Goroutines() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		seen := map[string]bool{}
		for size := 64 << 10; ; size *= 4 {
			all := make([]byte, size)
			all = all[:runtime.Stack(all, true)]
			complete := len(all) < size
			for more := true; more; {
				var one []byte
				one, all, more = bytes.Cut(all, []byte("\n\n"))
				if !more && !complete {
					break // it is cut short
				}
				one = bytes.TrimSpace(one)
				number, _, _ := bytes.Cut(bytes.TrimPrefix(one, []byte("goroutine ")), []byte(" "))
				n := string(number)
				if !seen[n] && !yield(n, one) {
					return
				}
				seen[n] = true
			}
			if complete || size >= maxStacks {
				return
			}
		}
	}
}

// Loop returns the address of the engine whose loop the goroutine of a stack runs, or nothing.
func Loop(stack []byte) string { return receiver(stack, "(*Engine).loop") }

// WaitsFor returns the addresses of the engine and of the target for which the goroutine of a stack
// waits in a call, if it does and they are known.
func WaitsFor(stack []byte) (engine, target string) {
	return receiver(stack, "(*Engine).await"), receiver(stack, "(*target).submit")
}

// receiver returns the address of what a method of package engine is called on in a stack, or
// nothing.
func receiver(stack []byte, method string) string {
	_, call, _ := bytes.Cut(stack, []byte("engine."+method+"("))
	return string(call[:max(bytes.IndexAny(call, ",?)"), 0)])
}

// Of returns the number and the stack of a goroutine, or nothing if it has ended: id is its number,
// or what Loop returns for it, which is known without asking for a number.
func Of(id string) (number, stack string) {
	for number, one := range Goroutines() {
		if number == id || Loop(one) == id {
			return number, string(one)
		}
	}
	return "", ""
}

// State returns what the goroutine of Of does, such as "chan receive", and its stack, or nothing.
func State(id string) (state, stack string) {
	_, stack = Of(id)
	header, stack, _ := strings.Cut(stack, "\n")
	_, state, _ = strings.Cut(header, "[")
	return state[:max(strings.IndexAny(state, ",]"), 0)], stack
}
