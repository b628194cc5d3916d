package ui

import (
	"path"
	"path/filepath"
	"strings"
)

// Path returns the name of a file, relative to dir if the file is below it, and else its last two elements. Dir may be
// empty.
func Path(file, dir string) string {
	if rel, err := filepath.Rel(dir, file); dir != "" && err == nil && filepath.IsLocal(rel) {
		return rel
	}
	file = strings.ReplaceAll(file, `\`, "/")
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}
