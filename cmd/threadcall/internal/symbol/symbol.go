// Package symbol takes names of functions apart, as stack traces and profiles have them.
package symbol

import (
	"regexp"
	"strings"
)

// Package returns the import path of the function's package.
func Package(function string) string {
	function, _, _ = strings.Cut(function, "[") // type arguments have paths of their own
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function
	}
	return Unescape(function[:slash+dot])
}

// Unescape returns the function as its source has it: the linker writes %2e for a dot in the last
// element of a package's path.
func Unescape(function string) string { return strings.ReplaceAll(function, "%2e", ".") }

var directory = regexp.MustCompile(`[^\s/,;*(){}[\]]+/`)

// Short returns the function with nothing of its package's path, and of those of its type
// arguments, but the last element.
func Short(function string) string {
	return Unescape(directory.ReplaceAllString(function, ""))
}
