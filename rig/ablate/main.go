// Ablate shows what each mechanism of the engine brings. It builds the phases of rig/bench
// with the engine as it is and once without each mechanism, runs them in turn, and prints what is
// worse without.
//
//	go run ./rig/ablate [flag] ... [mechanism] ...
//
// The mechanisms are patches in mechanisms.txt, each with a regular expression of the phases in
// which it matters. An argument such as credit+load takes out both; one such as old=/tmp/phases
// compares with that program instead, which may have another constant. A row of the table is a
// phase, in one condition:
//
//	with     µs and their ratios to the channel's: the mean, p50 and p99 of a call, the CPU time of
//	         the process for each, and late, by which a goroutine that sleeps wakes up (p90)
//	without  the median ratio of the same to with, and in how many rounds it was worse by a fifth
//	         (mean, p50, CPU) or by half (p99, late). An asterisk stands where that is three in
//	         four or more
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/rig/bench"
	"github.com/threadcall/threadcall/rig/patch"
	"github.com/threadcall/threadcall/rig/results"
)

const list = "rig/ablate/mechanisms.txt"

var (
	rounds   = flag.Int("rounds", 4, "")
	duration = flag.Duration("for", 150*time.Millisecond, "of each phase")
	phases   = flag.String("phase", "", "a regular expression; those of the mechanism if empty")
	inList   = flag.String("list", "", "of phases: crowds, posts or pools")
	subjects = flag.String("subject", "threadcall|thread", "a regular expression")
	when     = flag.String("when", "quiet,crowded", "conditions: quiet; crowded, next to two "+
		"processes that compute; quota, of one core")
	procs = flag.String("p", "", "values of GOMAXPROCS, such as 1,4")
	all   = flag.Bool("all", false, "print rows without an asterisk, too")
)

func main() {
	bench.MaybeBurn()
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "ablate:", err)
		os.Exit(1)
	}
}

// A variant is a program that measures phases.
type variant struct {
	name, phases, program string
	results               results.Results
}

// units are what is compared, and by how much it may differ.
var units = []struct {
	name  string
	limit float64
}{{"mean-ns", 1.2}, {"p50-ns", 1.2}, {"p99-ns", 1.5}, {"cpu-ns/op", 1.2}, {"p90-late-ns", 1.5}}

func run(names []string) error {
	dir, err := os.MkdirTemp("", "threadcall-ablate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mechanisms, err := patch.Read(list, "mechanism")
	if err != nil {
		return fmt.Errorf("it must be started in the root of the repository: %w", err)
	}
	if len(names) == 0 {
		for _, m := range mechanisms {
			names = append(names, m.Name)
		}
	}
	with := &variant{name: "nothing"}
	variants := []*variant{with}
	for _, name := range names {
		v, all, err := choose(name, mechanisms)
		if err == nil && v.program == "" {
			err = v.build(dir, all)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		variants = append(variants, v)
		with.phases = either(with.phases, v.phases)
	}
	if err := with.build(dir, new(patch.Patch)); err != nil {
		return err
	}
	fmt.Print("| without | when | phase | with: mean, p50, p99, CPU, late | of the channel's | " +
		"without |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, condition := range strings.Split(*when, ",") {
		for _, p := range strings.Split(*procs, ",") {
			if err := compare(variants, condition, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose returns what an argument names, and what it changes.
func choose(name string, mechanisms []*patch.Patch) (*variant, *patch.Patch, error) {
	if before, program, ok := strings.Cut(name, "="); ok {
		return &variant{name: before, phases: *phases, program: program}, nil, nil
	}
	v, all := &variant{name: name, phases: *phases}, new(patch.Patch)
	for part := range strings.SplitSeq(name, "+") {
		i := slices.IndexFunc(mechanisms, func(m *patch.Patch) bool { return m.Name == part })
		if i < 0 {
			return nil, nil, fmt.Errorf("there is no mechanism %q", part)
		}
		all.Edits = append(all.Edits, mechanisms[i].Edits...)
		if *phases == "" {
			v.phases = either(v.phases, mechanisms[i].Arg)
		}
	}
	return v, all, nil
}

// either returns a regular expression for what one of two matches, of which a may be empty.
func either(a, b string) string { return strings.TrimPrefix(a+"|"+b, "|") }

// build builds the program of v, with a patch of the engine.
func (v *variant) build(dir string, p *patch.Patch) error {
	changed, err := p.Apply()
	if err != nil {
		return err
	}
	env, remove, err := patch.Overlay(changed)
	if err != nil {
		return err
	}
	defer remove()
	v.program = filepath.Join(dir, v.name)
	if out, err := patch.Go(env, "build", "-o", v.program, "./rig/bench/phases"); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// compare runs the variants in one condition and prints their rows. p is GOMAXPROCS, or empty.
func compare(variants []*variant, condition, p string) error {
	if condition == "crowded" {
		stop, err := bench.Background(2, 0)
		if err != nil {
			return err
		}
		defer stop()
	}
	for _, v := range variants {
		v.results = results.Results{}
	}
	for round := range *rounds {
		fmt.Fprintf(os.Stderr, "%s, round %d of %d\n", condition, round+1, *rounds)
		for _, i := range rand.Perm(len(variants)) {
			if err := variants[i].run(condition, p, i == 0); err != nil {
				return fmt.Errorf("%s: %w", variants[i].name, err)
			}
		}
	}
	if p != "" {
		condition += ", " + p + " Ps"
	}
	with := variants[0]
	for _, v := range variants[1:] {
		for _, load := range slices.Sorted(slices.Values(v.results.Loads)) {
			for _, subject := range slices.Sorted(slices.Values(v.results.Subjects)) {
				v.printRow(with, load, subject, condition)
			}
		}
	}
	return nil
}

// run makes one round, if channel is true of the channel as well.
func (v *variant) run(condition, p string, channel bool) error {
	sides := "^(" + *subjects + ")$"
	if channel {
		sides += "|^reference$"
	}
	words := []string{v.program, "-rounds", "1", "-for", duration.String(), "-list", *inList,
		"-phase", v.phases, "-subject", sides}
	if condition == "quota" {
		words = append([]string{".ci/quota", "100"}, words...)
	}
	c := exec.Command(words[0], words[1:]...)
	if p != "" {
		c.Env = append(os.Environ(), "GOMAXPROCS="+p)
	}
	out, err := c.Output()
	if err != nil {
		return err
	}
	v.results.Read(string(out))
	return nil
}

func (v *variant) printRow(with *variant, load, subject, condition string) {
	var is, ofChannel, ratios []string
	earns := false
	for _, u := range units {
		now, without := with.results.Of(load, subject, u.name), v.results.Of(load, subject, u.name)
		if without == nil {
			return
		}
		is = append(is, fmt.Sprintf("%.3g", results.Median(now)/1000))
		channel := with.results.Of(load, "reference", u.name)
		ofChannel = append(ofChannel, fmt.Sprintf("%.2g",
			results.Median(results.Ratios(now, channel))))
		ratio := results.Ratios(without, now)
		worse := 0
		for _, x := range ratio {
			if x >= u.limit {
				worse++
			}
		}
		text := fmt.Sprintf("%.2f (%d)", results.Median(ratio), worse)
		if 4*worse >= 3*len(without) {
			text, earns = text+"\\*", true
		}
		ratios = append(ratios, text)
	}
	if phase := strings.TrimPrefix(load, "Phase/"); earns || *all {
		fmt.Printf("| %s | %s | %s, %s | %s | %s | %s |\n", v.name, condition,
			strings.ReplaceAll(phase, "_", " "), subject, strings.Join(is, ", "),
			strings.Join(ofChannel, ", "), strings.Join(ratios, ", "))
	}
}
