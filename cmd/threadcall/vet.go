package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/vet"
	"github.com/threadcall/threadcall/cmd/threadcall/threadvet"
)

// vetTool reports whether go vet has started the command as its tool.
func vetTool(args []string) bool {
	return len(args) > 0 && (strings.HasPrefix(args[0], "-V=") || args[0] == "-flags" ||
		strings.HasSuffix(args[len(args)-1], ".cfg"))
}

// imported is a flag of the tool: to report also in packages that are only imported. The build
// cache does not distinguish these: without the flag go vet keeps their empty results, and later
// has no reports when they are to be vetted themselves.
const imported = "-threadcall.imported"

// runVetTool does what go vet asks for, and ends the process.
func runVetTool(args []string) {
	check := func(err error) {
		if err != nil {
			fmt.Fprintf(os.Stderr, "threadcall: %v\n", err)
			os.Exit(statusUsage)
		}
	}
	if args[0] != "-V=full" {
		threadvet.Analyzer.Flags.Bool("imported", false, "report also in packages that are only imported")
		if config := args[len(args)-1]; slices.Contains(args, imported) {
			data, err := os.ReadFile(config)
			check(err)
			data = bytes.Replace(data, []byte(`"VetxOnly": true`), []byte(`"VetxOnly": false`), 1)
			check(os.WriteFile(config, data, 0o600))
		}
		unitchecker.Main(threadvet.Analyzer)
	}
	// What results of go vet in the build cache depend on: the executable, and the files of tables.
	self, err := os.Executable()
	check(err)
	data, err := os.ReadFile(self)
	check(err)
	tables, err := threadvet.Tables(".")
	check(err)
	fmt.Printf("threadcall version devel buildID=%x\n", sha256.Sum256(append(data, tables...)))
	os.Exit(statusOK)
}

func runVet(c *command) error {
	asJSON := c.Bool("json", false, "print one JSON document instead")
	fix := c.Bool("fix", false, "apply the suggested fixes, and report what is left")
	block := c.Bool("block", false, "also report calls on the main thread that block: time.Sleep, "+
		"net/http, database/sql, os/exec")
	packages, err := c.parse("vet takes packages, not a command")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"-vettool=" + self}
	if *block {
		args = append(args, "-threadcall.block")
	}
	if *fix {
		cmd := exec.Command("go", slices.Concat([]string{"vet", "-fix"}, args, packages)...)
		cmd.Stderr = c.stderr
		if err := cmd.Run(); err != nil {
			return unloadable(err)
		}
	}
	list, err := reports(append(args, imported), packages, c.stderr)
	unwritten := c.print(*asJSON, list, func(out *ui.Screen) {
		for _, f := range list {
			out.Printf("%s:%d:%d: %s\n", f.File, f.Line, f.Column, f.Message)
		}
	})
	switch {
	case unwritten != nil:
		return fail(statusWrong, errors.Join(err, unwritten))
	case err != nil:
		return err
	case len(list) > 0:
		return fail(statusWrong, errors.New(ui.Counted(len(list),
			"call or wait is wrong", "calls or waits are wrong")))
	}
	return nil
}

// reports runs go vet with the command as its tool, and returns what it finds in these packages, in
// order. What go vet reports otherwise goes to stderr.
func reports(args, packages []string, stderr io.Writer) ([]vet.Finding, error) {
	asked, _, err := gotest.Tree{}.List(context.Background(), packages...)
	if err != nil {
		return []vet.Finding{}, unloadable(err)
	}
	list, err := analyze(args, packages, stderr)
	if err != nil {
		err = unloadable(err)
		// A test that does not compile hides the package that it is a part of.
		if without, end, err := withoutTests(asked); err == nil {
			more, _ := analyze(append(args, without), packages, io.Discard)
			list = append(list, more...)
			end()
		}
	}
	list = slices.DeleteFunc(list, func(f vet.Finding) bool {
		return !slices.ContainsFunc(asked, func(p gotest.Package) bool {
			return p.ImportPath == strings.TrimSuffix(f.Package, "_test")
		})
	})
	order := func(a, b vet.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	}
	slices.SortFunc(list, order)
	return slices.CompactFunc(list, func(a, b vet.Finding) bool { return order(a, b) == 0 }), err
}

// withoutTests returns a flag of the go command with which packages have no tests, until end.
func withoutTests(packages []gotest.Package) (flag string, end func(), err error) {
	files := map[string]string{}
	for _, p := range packages {
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			files[filepath.Join(p.Dir, name)] = ""
		}
	}
	scratch, err := gotest.NewScratch()
	if err != nil {
		return "", nil, err
	}
	name := filepath.Join(scratch.Dir, "overlay.json")
	text, _ := json.Marshal(map[string]any{"Replace": files}) // of strings, without errors
	return "-overlay=" + name, func() { scratch.Remove() }, os.WriteFile(name, text, 0o600)
}

// analyze runs go vet once. Reports of a package and of its tests may be the same.
func analyze(args, packages []string, stderr io.Writer) ([]vet.Finding, error) {
	list := []vet.Finding{} // not null in JSON
	cmd := exec.Command("go", slices.Concat([]string{"vet", "-json"}, args, packages)...)
	cmd.Stderr = stderr
	output, err := cmd.Output()
	for dec := json.NewDecoder(bytes.NewReader(output)); dec.More(); {
		var doc map[string]map[string]json.RawMessage
		if err := dec.Decode(&doc); err != nil {
			return list, fmt.Errorf("what go vet prints: %w", err)
		}
		for pkg, analyzers := range doc {
			pkg, _, _ = strings.Cut(pkg, " ") // without the variant that has the tests
			for _, raw := range analyzers {
				var found []struct{ Posn, Message, Category string }
				if json.Unmarshal(raw, &found) != nil {
					fmt.Fprintf(stderr, "%s: %s\n", pkg, raw)
					err = cmp.Or(err, errors.New("a package cannot be analyzed"))
				}
				for _, one := range found {
					list = append(list, vet.Finding{Position: position(one.Posn), Package: pkg,
						Category: one.Category, Message: one.Message})
				}
			}
		}
	}
	return list, err
}

// unloadable returns the error of go vet, whose complaints are written already, with what to do.
func unloadable(err error) error {
	return fail(statusUsage, fmt.Errorf("go vet could not analyze a package (%w): correct what it "+
		"reports, and what 'go build' and 'go test -run none' report of it, then run vet again", err))
}

// position parses file:line:column. The file is relative to the directory if it is below it.
func position(text string) (p report.Position) {
	p.File = text
	for _, n := range []*int{&p.Column, &p.Line} {
		i := strings.LastIndexByte(p.File, ':')
		if v, err := strconv.Atoi(p.File[i+1:]); i > 0 && err == nil {
			*n, p.File = v, p.File[:i]
		}
	}
	if dir, err := os.Getwd(); err == nil {
		if name, err := filepath.Rel(dir, p.File); err == nil && filepath.IsLocal(name) {
			p.File = name
		}
	}
	return p
}
