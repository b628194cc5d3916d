// Package dashes lets a command whose flags have two dashes take them with one, as the go command does.
package dashes

import "regexp"

// one is a flag with one dash, and perhaps a value. -ldflags "-s -w" has a value that is none.
var one = regexp.MustCompile(`^-[a-z][a-z0-9-]+(=|$)`)

// Two returns the arguments of a command with two dashes before each flag. It leaves alone what follows "--".
func Two(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if one.MatchString(a) {
			a = "-" + a
		}
		out = append(out, a)
	}
	return out
}
