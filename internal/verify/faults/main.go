// Faults tests the tests: it makes one mistake after the other in a copy of the tree and prints which check notices it,
// after how long. The mistakes are in faults.txt.
//
//	go run ./internal/verify/faults [-all] [-check name] [name of a fault] ...
//
// It makes the check that must notice a fault, with -check another one, with -all every check. It ends with status 1 if
// none notices the fault, if one does not apply or does not compile, or if a check rejects the tree as it is.
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

type check struct {
	name string
	args []string
}

// The checks are what go test runs, those that take longest last. The time limits are for hangs that no test ends.
var checks = []check{
	{"callq", []string{"-timeout", "30s", "./internal/callq"}},
	{"freelist", []string{"-timeout", "30s", "./internal/freelist"}},
	{"park", []string{"-timeout", "30s", "./internal/park"}},
	{"engine", []string{"-timeout", "45s", "./internal/engine"}},
	{"ident", []string{"-timeout", "30s", "./internal/ident"}},
	{"thread", []string{"-timeout", "120s", "./thread"}},
	{"mainthread", []string{"-timeout", "120s", "./mainthread"}},
	{"oracle", []string{"-timeout", "100s", "./internal/verify/oracle", "-time-limit", "5s", "-shrink", "0"}},
	{"race", []string{"-race", "-timeout", "120s", "./internal/verify/oracle", "-time-limit", "10s", "-shrink", "0"}},
}

const (
	list      = "internal/verify/faults/faults.txt"
	timeLimit = "THREADCALL_TIME_LIMIT=15s" // how long a test waits for what a fault keeps from coming
)

var (
	all  = flag.Bool("all", false, "make every check for every fault")
	only = flag.String("check", "", "make this check only")
)

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return fmt.Errorf("it must be started in the root of the repository: %w", err)
	}
	faults, err := parse(string(text))
	if err != nil {
		return err
	}
	faults = append([]*fault{{name: "none", about: "the tree as it is"}}, faults...)
	fmt.Printf("%-28s %-12s %8s  %s\n", "fault", "check", "seconds", "noticed by")
	var unnoticed []string
	for _, f := range faults {
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		noticed, err := f.try()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if !noticed && f.edits != nil {
			unnoticed = append(unnoticed, f.name)
		}
	}
	if unnoticed != nil {
		return fmt.Errorf("no check noticed %s", strings.Join(unnoticed, ", "))
	}
	return nil
}

// try makes the checks with f in a copy of the tree, and prints a line for each.
func (f *fault) try() (noticed bool, err error) {
	dir, err := os.MkdirTemp("", "threadcall-fault-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := copyTree(dir); err != nil {
		return false, err
	}
	if err := f.apply(dir); err != nil {
		return false, err
	}
	for _, c := range checks {
		switch {
		case *only != "":
			if c.name != *only {
				continue
			}
		case !*all && f.edits != nil && c.name != f.check:
			continue
		}
		test := []string{"test", "-short", "-failfast", "-count=1", "-run", "^(Test|Fuzz)"} // -failfast goes on with examples
		compile := append([]string{"test", "-count=1", "-run", "^$"}, c.args...)            // so that it does not count
		if out, err := goCommand(dir, compile); err != nil {
			return false, fmt.Errorf("%w\n%s", err, out)
		}
		start := time.Now()
		out, err := goCommand(dir, append(test, c.args...))
		by := "nothing"
		if err != nil {
			noticed, by = true, culprit(out)
		}
		fmt.Printf("%-28s %-12s %8.1f  %s\n", f.name, c.name, time.Since(start).Seconds(), by)
		if err != nil && f.edits == nil {
			return true, fmt.Errorf("%s rejects the tree as it is:\n%s", c.name, out)
		}
	}
	return noticed, nil
}

func goCommand(dir string, args []string) (out []byte, err error) {
	c := exec.Command("go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), timeLimit)
	return c.CombinedOutput()
}

// copyTree copies the files that git knows, or would know.
func copyTree(dir string) error {
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
	return nil
}

// culprit returns the name of the test that failed, or that ran when the process ended, and how the process ended.
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
