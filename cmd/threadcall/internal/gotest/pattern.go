package gotest

import (
	"regexp"
	"strings"
)

// A Pattern selects benchmarks or tests, as the flags -bench and -run of go test do: regular expressions with slashes between them, one for each level
// of sub-benchmarks, and alternatives of them.
type Pattern struct{ alternatives [][]string }

// ParsePattern reads a pattern. The empty one means all.
func ParsePattern(text string) (Pattern, error) {
	p := Pattern{split(text)}
	for _, alternative := range p.alternatives {
		for _, element := range alternative {
			if _, err := regexp.Compile(element); err != nil {
				return Pattern{}, err
			}
		}
	}
	return p, nil
}

// For returns the pattern that means the sub-benchmarks that p means of the one top-level benchmark, which is among
// those of p if ok.
func (p Pattern) For(benchmark string) (pattern string, ok bool) {
	var all []string
	for _, alternative := range p.alternatives {
		if !regexp.MustCompile(alternative[0]).MatchString(benchmark) {
			continue
		}
		exactly := "^" + benchmark + "$"
		all = append(all, strings.Join(append([]string{exactly}, alternative[1:]...), "/"))
	}
	return strings.Join(all, "|"), len(all) > 0
}

// split splits text at the slashes and bars that are neither in brackets nor in parentheses nor escaped.
func split(text string) [][]string {
	var all [][]string
	var one []string
	brackets, parentheses, start := 0, 0, 0
	for i := 0; i < len(text); i++ {
		outside := brackets == 0 && parentheses == 0
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1) // one alone is a character
		case c == '(' && brackets == 0:
			parentheses++
		case c == ')' && brackets == 0:
			parentheses--
		case (c == '/' || c == '|') && outside:
			one = append(one, text[start:i])
			start = i + 1
			if c == '|' {
				all, one = append(all, one), nil
			}
		}
	}
	return append(all, append(one, text[start:]))
}
