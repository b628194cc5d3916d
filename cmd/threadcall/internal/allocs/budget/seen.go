package budget

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/hook"
)

// Instrument returns the text of files by their names, in which the functions that have promised
// call hook.Seen when they are called, with what the promise limits. Path is the import path of
// package hook. No line gets another number. The texts are for the go command's -overlay.
func (c *Check) Instrument(path string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for i, f := range slices.Backward(c.Functions) { // those of a file are in its order
		text := texts[f.File]
		if text == nil {
			var err error
			if text, err = os.ReadFile(f.File); err != nil {
				return nil, err
			}
		}
		call := fmt.Sprintf(" %s.Seen(%d", hook.Name, i)
		for _, l := range f.Limits {
			call += fmt.Sprintf(", int64(%s), %d", l.Expr, l.Most)
		}
		texts[f.File] = slices.Insert(text, f.body+1, []byte(call+");")...)
	}
	for _, f := range c.Functions {
		text := texts[f.File]
		clause := fmt.Appendf(nil, "; import %s %q", hook.Name, path)
		if !bytes.Equal(text[f.clause:f.clause+len(clause)], clause) {
			texts[f.File] = slices.Insert(text, f.clause, clause...)
		}
	}
	return texts, nil
}

// Limited reports whether some promise has limits.
func (c *Check) Limited() bool {
	return slices.ContainsFunc(c.Functions, func(f *Function) bool { return len(f.Limits) > 0 })
}

// Seen takes what hook.Seen has written while the benchmark ran: the number of a function and, for
// each limit, the value and the limit.
func (c *Check) Seen(benchmark, text string) {
	for line := range strings.Lines(text) {
		var values []int64
		for _, field := range strings.Fields(line) {
			if v, err := strconv.ParseInt(field, 10, 64); err == nil {
				values = append(values, v)
			}
		}
		if len(values) == 0 || values[0] < 0 || values[0] >= int64(len(c.Functions)) {
			continue
		}
		f := c.Functions[values[0]]
		if len(values) != 1+2*len(f.Limits) {
			continue
		}
		all, beyond := len(f.Limits) > 0, false
		for j, l := range f.Limits {
			beyond = beyond || values[1+2*j] > l.Most
			all = all && values[1+2*j] == l.Most
		}
		if beyond {
			f.beyond[benchmark] = true
			continue
		}
		for j, l := range f.Limits {
			l.Seen = max(l.Seen, values[1+2*j])
		}
		f.Reached = true
		f.AtLimit = f.AtLimit || all
	}
}
