// Faults tests the tests: it makes one mistake after the other and prints which check notices it,
// after how long. The go command reads the changed files by its flag -overlay; the tree stays as it
// is.
//
//	go run ./internal/rig/faults [-all] [name of a fault] ...
//
// makes the mistakes in faults.txt, and for each the check that must notice it, with -all every
// check. It ends with status 1 if none notices the fault, if one does not
// apply or does not compile, or if a check rejects the tree as it is.
//
//	go run ./internal/rig/faults -random 100 [-seed n] [-from n] [package directory] ...
//
// makes mistakes at random places of the packages, see random.go.
package main

import (
	"encoding/json"
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

// The checks are what go test runs, those that take longest last. The time limits are for hangs
// that no test ends.
var checks = []check{
	{"callq", []string{"-timeout", "30s", "./internal/callq"}},
	{"freelist", []string{"-timeout", "30s", "./internal/freelist"}},
	{"park", []string{"-timeout", "30s", "./internal/park"}},
	{"engine", []string{"-timeout", "45s", "./internal/engine"}},
	{"ident", []string{"-timeout", "30s", "./internal/ident"}},
	{"osthread", []string{"-timeout", "30s", "./osthread"}},
	{"thread", []string{"-timeout", "120s", "./thread"}},
	{"keyed", []string{"-timeout", "120s", "./keyed"}},
	{"mainthread", []string{"-timeout", "120s", "./mainthread"}},
	{"trace", []string{"-timeout", "60s", "./cmd/threadcall/internal/trace/source"}},
	{"oracle", []string{"-timeout", "100s", "./internal/rig/oracle", "-time-limit", "5s", "-shrink",
		"0"}},
	{"race", []string{"-race", "-timeout", "120s", "./internal/rig/oracle", "-time-limit", "10s",
		"-shrink", "0"}},
}

const (
	list      = "internal/rig/faults/faults.txt"
	timeLimit = "THREADCALL_TIME_LIMIT=15s" // how long a test waits for what a fault keeps from coming
)

var all = flag.Bool("all", false, "make every check for every fault")

func main() {
	flag.Parse()
	do := run
	if *randomly > 0 {
		do = random
	}
	if err := do(flag.Args()); err != nil {
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

// try makes the checks with f, and prints a line for each.
func (f *fault) try() (noticed bool, err error) {
	changed, err := f.apply()
	if err != nil {
		return false, err
	}
	env, remove, err := overlay(changed)
	if err != nil {
		return false, err
	}
	defer remove()
	for _, c := range checks {
		if !*all && f.edits != nil && c.name != f.check {
			continue
		}
		compile := append([]string{"test", "-count=1", "-run", "^$"}, c.args...) // not counted
		if out, err := goCommand(env, compile...); err != nil {
			return false, fmt.Errorf("%w\n%s", err, out)
		}
		start := time.Now()
		out, err := c.make(env, everyTest)
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

const everyTest = "^(Test|Fuzz)" // -failfast goes on with examples

// make runs the tests of c that the regular expression matches.
func (c check) make(env []string, tests string, more ...string) (out []byte, err error) {
	args := append([]string{"test", "-short", "-failfast", "-vet=off", "-count=1", "-run", tests},
		c.args...)
	return goCommand(env, append(args, more...)...)
}

func goCommand(env []string, args ...string) (out []byte, err error) {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), append(env, timeLimit)...)
	return c.CombinedOutput()
}

// overlay returns the environment in which go commands, and those that tests start, read the
// changed files.
func overlay(changed map[string]string) (env []string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "threadcall-fault-")
	if err != nil {
		return nil, nil, err
	}
	replace := map[string]string{}
	for name, text := range changed {
		original, err := filepath.Abs(name)
		if err != nil {
			return nil, nil, err
		}
		replace[original] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(replace[original], []byte(text), 0o666); err != nil {
			return nil, nil, err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Join(dir, "overlay.json")
	flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -overlay=" + name)
	return []string{"GOFLAGS=" + flags}, func() { os.RemoveAll(dir) }, os.WriteFile(name, list, 0o666)
}

// culprit returns the name of the test that failed, or that ran when the process ended, and how the
// process ended.
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
	how := first(`WARNING: (DATA RACE)`, `panic: (test timed out)`, `(fatal error: .*)`, `(panic: .*)`,
		`(signal: .*)`)
	if test == "" || how != "" && first(`--- FAIL: (\w+)`) == "" {
		return strings.TrimSpace(test + " " + how)
	}
	return test
}
