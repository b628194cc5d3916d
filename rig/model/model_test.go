// Package model has the protocol of the engine in Promela, and a test that checks it.
package model

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/rig/patch"
)

var search = flag.Bool("search", false, "search all models with spin, and all faults")

// TestModel checks that the faults, which are changes of the models, can be made. With -search it
// searches each configuration, which must pass, and each fault, which must be rejected, for the
// reason that is listed with it.
func TestModel(t *testing.T) {
	all, err := patch.Read("faults.txt", "fault")
	if err != nil {
		t.Fatal(err)
	}
	if err := patch.Check(all); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile("configurations.txt")
	if err != nil {
		t.Fatal(err)
	}
	defines := map[string]string{} // by model and configuration
	for line := range strings.Lines(string(text)) {
		name, options, _ := strings.Cut(strings.TrimSpace(line), " ")
		defines[name] = options
		all = append(all, &patch.Patch{Arg: name + " passed"})
	}
	for _, f := range all {
		name, reason, _ := strings.Cut(f.Arg, " ")
		if defines[name] == "" {
			t.Errorf("%s: there is no configuration %s", f.Name, name)
		} else if *search {
			t.Run(strings.TrimSuffix(name+"/"+f.Name, "/"), func(t *testing.T) {
				t.Parallel()
				verify(t, filepath.Dir(name), defines[name], f, reason)
			})
		}
	}
}

// What the verifier writes. All other reasons are names of properties that assertions have.
var reasons = map[string]string{
	"passed": `errors: 0\n`,
	"stuck":  `(?m)^pan:1: invalid end state`, // a deadlock
	"cycle":  `(?m)^pan:1: acceptance cycle`,
}

var (
	cutShort = regexp.MustCompile(`(?i)search not completed|search depth too small|out of memory|` +
		`reached -DMEMLIM`)
	figures = regexp.MustCompile(`\d+ states, stored|\d\S* seconds`)
)

// verify searches a model with a fault. If LIVE is defined, it looks for a violation of the LTL
// formula under weak fairness, and otherwise of assertions, and for deadlocks.
func verify(t *testing.T, model, defines string, f *patch.Patch, reason string) {
	changed, err := f.Apply()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for file, text := range changed {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	compile, run := "-DSAFETY -O2", ""
	if strings.Contains(defines, "-DLIVE") {
		compile, run = "-DNFAIR=3 -O2", "-a -f"
	}
	if f.Edits != nil {
		compile += " -O0" // a fault is found soon
	}
	c := exec.Command("sh", "-c", fmt.Sprintf("spin -a %s %s.pml && gcc -w -DCOLLAPSE "+
		"-DVECTORSZ=2048 -DMEMLIM=2900 %s -o pan pan.c && ./pan -m1000000 %s", defines, model, compile,
		run))
	c.Dir = dir
	out, err := c.CombinedOutput()
	said := reasons[reason]
	if said == "" {
		said = `(?m)^pan:1: assertion violated .*` + reason
	}
	if !regexp.MustCompile(said).Match(out) || reason == "passed" && cutShort.Match(out) {
		t.Fatalf("it is not %s: %v\n%s", reason, err, out)
	}
	t.Logf("%s: %s", reason, figures.FindAll(out, -1))
}
