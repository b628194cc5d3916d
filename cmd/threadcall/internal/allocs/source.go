package allocs

import (
	"os"
	"strings"
)

// around is how many lines of the source are shown before a row's, and after it.
const around = 3

// sourceAround returns lines of the file, none if it cannot be read.
func sourceAround(file string, line int) []Line {
	text, err := os.ReadFile(file)
	if err != nil || line < 1 {
		return nil
	}
	var out []Line
	n := 0
	for l := range strings.Lines(string(text)) {
		n++
		if n >= line-around && n <= line+around {
			out = append(out, Line{n, strings.TrimRight(l, "\r\n")})
		}
	}
	return out
}
