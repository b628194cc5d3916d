// Faults tests the tests: it makes one mistake after the other and prints which check notices it,
// after how long. The go command reads the changed files by its flag -overlay; the tree stays as it
// is.
//
//	go run ./rig/faults [name of a fault] ...
//
// makes the mistakes in faults.txt, and for each the check that must notice it. It ends with status
// 1 if that does not notice the fault, if one does not apply or does not compile, or if a check
// rejects the tree as it is.
//
//	go run ./rig/faults -random 100 [-seed n] [package directory] ...
//
// makes mistakes at random places of the packages, see random.go.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/rig/patch"
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
	{"spin", []string{"-timeout", "30s", "./internal/spin"}},
	{"engine", []string{"-timeout", "45s", "./internal/engine"}},
	{"ident", []string{"-timeout", "30s", "./internal/ident"}},
	{"osthread", []string{"-timeout", "30s", "./osthread"}},
	{"thread", []string{"-timeout", "120s", "./thread"}},
	{"keyed", []string{"-timeout", "120s", "./keyed"}},
	{"mainthread", []string{"-timeout", "120s", "./mainthread"}},
	{"recorder", []string{"-timeout", "60s", "./recorder/..."}},
	{"trace", []string{"-timeout", "60s", "./cmd/threadcall/internal/trace/source"}},
	{"oracle", []string{"-timeout", "100s", "./rig/oracle", "-time-limit", "5s"}},
	{"race", []string{"-race", "-timeout", "120s", "./rig/oracle", "-time-limit", "10s"}},
}

const (
	list      = "rig/faults/faults.txt"
	timeLimit = "THREADCALL_TIME_LIMIT=15s" // how long a test waits for what a fault keeps from coming
)

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
	faults, err := patch.Read(list, "fault")
	if err != nil {
		return fmt.Errorf("it must be started in the root of the repository: %w", err)
	}
	faults = append([]*patch.Patch{{Name: "none", About: "the tree as it is"}}, faults...)
	fmt.Printf("%-28s %-12s %8s  %s\n", "fault", "check", "seconds", "noticed by")
	var unnoticed []string
	for _, f := range faults {
		if len(names) > 0 && !slices.Contains(names, f.Name) {
			continue
		}
		noticed, err := try(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if !noticed && f.Edits != nil {
			unnoticed = append(unnoticed, f.Name)
		}
	}
	if unnoticed != nil {
		return fmt.Errorf("no check noticed %s", strings.Join(unnoticed, ", "))
	}
	return nil
}

// try makes the checks with f, and prints a line for each.
func try(f *patch.Patch) (noticed bool, err error) {
	changed, err := f.Apply()
	if err != nil {
		return false, err
	}
	env, remove, err := patch.Overlay(changed)
	if err != nil {
		return false, err
	}
	defer remove()
	for _, c := range checks {
		if f.Edits != nil && c.name != f.Arg {
			continue
		}
		compile := append([]string{"test", "-count=1", "-run", "^$"}, c.args...) // not counted
		if out, err := patch.Go(env, compile...); err != nil {
			return false, fmt.Errorf("%w\n%s", err, out)
		}
		start := time.Now()
		out, err := c.make(env, everyTest)
		by := "nothing"
		if err != nil {
			noticed, by = true, culprit(out)
		}
		fmt.Printf("%-28s %-12s %8.1f  %s\n", f.Name, c.name, time.Since(start).Seconds(), by)
		if err != nil && f.Edits == nil {
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
	return patch.Go(append(env, timeLimit), append(args, more...)...)
}

// culprit returns the name of the test that failed, or that ran when the process ended, and how the
// process ended.
func culprit(out []byte) string {
	out = bytes.ReplaceAll(out, []byte(".TestMain"), nil) // in whose frames all tests run
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
