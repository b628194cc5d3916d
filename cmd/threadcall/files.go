package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A target is a file that a flag has the command write. The file of a flag that was not given is
// empty.
type target struct{ flag, file string }

// distinct returns an error if an output would replace an input or another output, under whatever
// name. Devices do not count.
func distinct(inputs []string, outputs ...target) error {
	for i, o := range outputs {
		if o.file == "" {
			continue
		}
		for _, in := range inputs {
			if sameFile(o.file, in) {
				return fmt.Errorf("-%s %s would overwrite the input %s; give another name", o.flag, o.file, in)
			}
		}
		for _, other := range outputs[:i] {
			if other.file != "" && sameFile(o.file, other.file) {
				return fmt.Errorf("-%s and -%s are the same file, %s; give each a name of its own", other.flag,
					o.flag, o.file)
			}
		}
	}
	return nil
}

// sameFile reports whether two names are of one regular file, or would be when it exists.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	if err == nil && otherErr == nil {
		return one.Mode().IsRegular() && os.SameFile(one, other)
	}
	x, _ := filepath.Abs(a)
	y, _ := filepath.Abs(b)
	return err != nil && otherErr != nil && x == y
}
