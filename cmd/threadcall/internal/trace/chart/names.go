package chart

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace"
)

// float returns what the numbers of a report are to the functions of package unit.
func float(n any) float64 {
	switch n := n.(type) {
	case int64:
		return float64(n)
	case uint64:
		return float64(n)
	case time.Duration:
		return float64(n)
	}
	return n.(float64)
}

func mean(d trace.Distribution) float64 {
	if d.N == 0 {
		return 0
	}
	return d.Sum / float64(d.N)
}

// shortFile returns the file with the last of its directories.
func shortFile(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return path.Join(path.Base(path.Dir(name)), path.Base(name))
}

// place returns the frames of a caller's stack from the place on that called a thread.
func place(stack []trace.Frame) []trace.Frame {
	if i := slices.IndexFunc(stack, func(f trace.Frame) bool { return !f.Own() }); i > 0 {
		return stack[i:]
	}
	return stack
}

// inside returns the frames of a thread's stack up to the function that was called.
func inside(stack []trace.Frame) []trace.Frame {
	if i := slices.IndexFunc(stack, trace.Frame.Own); i > 0 {
		return stack[:i]
	}
	return stack
}
