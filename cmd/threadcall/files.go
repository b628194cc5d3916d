package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A target is a file that a flag has the command write. The file of a flag that was not given is empty.
type target struct{ flag, file string }

// distinct returns an error if an output would replace an input or another output, under whatever name. Devices are no files.
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
				return fmt.Errorf("-%s and -%s are the same file, %s; give each a name of its own", other.flag, o.flag, o.file)
			}
		}
	}
	return nil
}

// sameFile reports whether two names are of one regular file, or would be when it exists.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err == nil && !one.Mode().IsRegular() {
		return false
	}
	if other, otherErr := os.Stat(b); err == nil || otherErr == nil {
		return err == nil && otherErr == nil && os.SameFile(one, other)
	}
	return resolved(a) == resolved(b)
}

// resolved returns the absolute name of a file that does not exist.
func resolved(name string) string {
	if link, err := os.Readlink(name); err == nil {
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(name), link)
		}
		name = link
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		dir = filepath.Dir(name)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Join(dir, filepath.Base(name))
}
