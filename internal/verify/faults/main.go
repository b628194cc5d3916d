// Faults tests the tests: it puts one fault after the other into a copy of the tree and tells which check notices it,
// after how long. Each fault is a patch in this folder, whose first line says what mistake it imitates.
//
//	go run ./internal/verify/faults [-all] [-check name] [name of a fault] ...
//
// It ends with status 1 if no check notices a fault, if one does not apply or does not compile, or if a check rejects the
// tree as it is. A fault stops at the first check that notices it, unless -all is given.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Checks are what go test is to run, those that take longest last. The time limits are for hangs that no test ends.
var checks = []struct {
	name string
	args []string
}{
	{"callq", []string{"-timeout", "30s", "./internal/callq"}},
	{"freelist", []string{"-timeout", "30s", "./internal/freelist"}},
	{"park", []string{"-timeout", "30s", "./internal/park"}},
	{"engine", []string{"-timeout", "45s", "./internal/engine"}},
	{"ident", []string{"-timeout", "30s", "./internal/ident"}},
	{"thread", []string{"-timeout", "120s", "./thread"}},
	{"mainthread", []string{"-timeout", "120s", "./mainthread"}},
	{"oracle", []string{"-timeout", "100s", "./internal/verify/oracle", "-patience", "5s", "-shrink", "0"}},
	{"oracle, race", []string{"-race", "-timeout", "120s", "./internal/verify/oracle", "-patience", "10s", "-shrink", "0"}},
}

// patience is how long a test waits for what a fault keeps from coming.
const patience = "THREADCALL_PATIENCE=15s"

var (
	all  = flag.Bool("all", false, "make every check for every fault")
	only = flag.String("check", "", "make this check only")
)

func main() {
	flag.Parse()
	ok, err := run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

func run(names []string) (ok bool, err error) {
	patches, err := filepath.Glob("internal/verify/faults/*.patch")
	if err != nil || len(patches) == 0 {
		return false, fmt.Errorf("no patches here; start it in the root of the repository (%v)", err)
	}
	fmt.Print("| fault |")
	for _, c := range checks {
		fmt.Printf(" %s |", c.name)
	}
	fmt.Println(" first noticed by |\n|" + strings.Repeat(" --- |", len(checks)+2))
	ok = true
	for _, patch := range append([]string{""}, patches...) {
		name := strings.TrimSuffix(filepath.Base(patch), ".patch")
		if patch == "" {
			name = "none"
		}
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		good, err := one(name, patch)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		ok = ok && good
	}
	return ok, nil
}

// one makes the checks with one fault, or with none if patch is empty, and prints a line of the table.
func one(name, patch string) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "threadcall-fault-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := tree(dir, patch); err != nil {
		return false, err
	}
	fmt.Printf("| %s |", name)
	first := ""
	for _, c := range checks {
		if first != "" && !*all || *only != "" && c.name != *only {
			fmt.Print(" |")
			continue
		}
		compile := exec.Command("go", "test", "-run", "^$")                                           // so that it does not count
		test := exec.Command("go", "test", "-short", "-failfast", "-count=1", "-run", "^(Test|Fuzz)") // -failfast goes on with examples
		test.Env = append(os.Environ(), patience)
		if c.args[0] == "-race" {
			compile.Args = append(compile.Args, "-race")
		}
		compile.Args = append(compile.Args, c.args[slices.IndexFunc(c.args, func(a string) bool { return a[0] == '.' })])
		test.Args = append(test.Args, c.args...)
		compile.Dir, test.Dir = dir, dir
		if out, err := compile.CombinedOutput(); err != nil {
			return false, fmt.Errorf("%w\n%s", err, out)
		}
		start := time.Now()
		out, err := test.CombinedOutput()
		if err == nil {
			fmt.Print(" - |")
			continue
		}
		took := time.Since(start).Seconds()
		fmt.Printf(" %.1f s |", took)
		if first == "" {
			first = fmt.Sprintf("%s, %s", c.name, culprit(out))
		}
		if patch == "" {
			return false, fmt.Errorf("%s rejects the tree as it is:\n%s", c.name, out)
		}
	}
	switch {
	case patch == "":
		first = "nothing, as it should be"
	case first == "":
		first = "**nothing**"
		ok = true
	}
	fmt.Printf(" %s |\n", first)
	return !ok, nil
}

// tree copies the files that git knows, or would know, and applies the patch.
func tree(dir, patch string) error {
	list, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return err
	}
	for name := range bytes.SplitSeq(bytes.Trim(list, "\x00"), []byte{0}) {
		data, err := os.ReadFile(string(name))
		if err != nil {
			continue // deleted, but not committed
		}
		to := filepath.Join(dir, string(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o666); err != nil {
			return err
		}
	}
	if patch == "" {
		return nil
	}
	patch, err = filepath.Abs(patch)
	if err != nil {
		return err
	}
	apply := exec.Command("git", "apply", patch)
	apply.Dir = dir
	apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := apply.CombinedOutput(); err != nil {
		return fmt.Errorf("it does not apply any more; make the same mistake in the code of today: %w\n%s", err, out)
	}
	return nil
}

// culprit is the name of the test that failed, or that ran when the process ended, and how the process ended.
func culprit(out []byte) string {
	first := func(expressions ...string) string {
		for _, re := range expressions {
			if m := regexp.MustCompile(re).FindSubmatch(out); m != nil {
				return string(m[1])
			}
		}
		return ""
	}
	test := first(`--- FAIL: (\w+)`, `running tests:\n\t+(\w+)`, `\.(Test\w+)`)
	how := first(`WARNING: (DATA RACE)`, `panic: (test timed out)`, `(fatal error: .*)`, `(panic: .*)`, `(signal: .*)`)
	if test == "" || how != "" && first(`--- FAIL: (\w+)`) == "" {
		return strings.TrimSpace(test + " " + how)
	}
	return test
}
