package threadvet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tablesFile is the name of the file of tables at the root of a module.
const tablesFile = "threadvet.json"

// readTables reads the tables of the package's module.
func (c *checker) readTables() error {
	for _, file := range c.pass.Files {
		name := findTables(filepath.Dir(c.pass.Fset.Position(file.Package).Filename))
		if name == "" {
			continue
		}
		data, err := os.ReadFile(name) // pass.ReadFile reads Go files only
		if err != nil {
			return err
		}
		c.tables, err = parseTables(name, data)
		return err
	}
	return nil
}

// findTables returns the file of tables of the module that the directory is in, or "".
func findTables(dir string) string {
	mod := upward(dir, "go.mod")
	if mod == "" {
		return ""
	}
	name := filepath.Join(filepath.Dir(mod), tablesFile)
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

// upward returns the file of that name in the directory or the nearest one above, or "".
func upward(dir, base string) string {
	for {
		name := filepath.Join(dir, base)
		if _, err := os.Stat(name); err == nil {
			return name
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Tables returns the tables that the analysis of packages depends on if a go command runs it in the
// directory: those in the threadvet.json of the module, and of the modules that its go.mod or
// go.work name by their directories. It is for keys of caches. The error is for a malformed file.
func Tables(dir string) ([]byte, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	dirs := []string{dir}
	for i := 0; i < len(dirs); i++ {
		if name := findTables(dirs[i]); name != "" {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if _, err := parseTables(name, data); err != nil {
				return nil, err
			}
			fmt.Fprintf(&all, "%q %q\n", name, data)
		}
		work := os.Getenv("GOWORK")
		if work == "" {
			work = upward(dirs[i], "go.work")
		}
		for _, name := range []string{work, upward(dirs[i], "go.mod")} {
			for _, dir := range named(name) {
				if !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			}
		}
	}
	return all.Bytes(), nil
}

// named returns the directories that a go.mod or go.work file names, if there is such a file.
func named(file string) (dirs []string) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		for _, word := range strings.Fields(line) {
			if word = strings.Trim(word, "\"`"); filepath.IsAbs(word) {
				dirs = append(dirs, filepath.Clean(word))
			} else if strings.HasPrefix(word, ".") {
				dirs = append(dirs, filepath.Join(filepath.Dir(file), word))
			}
		}
	}
	return dirs
}
