// Package overlay changes the text of Go files for a build, and leaves the files alone.
package overlay

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
)

// An Edit replaces a part of a text, given by offsets.
type Edit struct {
	From, To int
	Text     string
}

// Apply makes edits, which must not overlap.
func Apply(text []byte, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.From - b.From })
	var out bytes.Buffer
	done := 0
	for _, e := range edits {
		out.Write(text[done:e.From])
		out.WriteString(e.Text)
		done = e.To
	}
	out.Write(text[done:])
	return out.Bytes()
}

// Write writes the file for the flag -overlay of the go command that replaces files by others, and
// returns its name.
func Write(name string, replace map[string]string) (string, error) {
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, text, 0o666)
}
