package stats

import (
	"cmp"
	"regexp"
	"strings"
)

var number = regexp.MustCompile(`[0-9]+`)

// natural compares names as people order them: n=8 before n=64.
func natural(a, b string) int {
	padded := func(name string) string {
		return number.ReplaceAllStringFunc(name, func(digits string) string {
			return strings.Repeat("0", max(0, 20-len(digits))) + digits
		})
	}
	return cmp.Or(cmp.Compare(padded(a), padded(b)), cmp.Compare(a, b))
}
