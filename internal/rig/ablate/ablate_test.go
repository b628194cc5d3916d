package main

import (
	"regexp"
	"testing"

	"github.com/threadcall/threadcall/internal/rig/patch"
)

func TestMechanisms(t *testing.T) {
	t.Chdir("../../..")
	mechanisms, err := patch.Read(list, "mechanism")
	if err != nil {
		t.Fatal(err)
	}
	if err := patch.Check(mechanisms); err != nil {
		t.Error(err)
	}
	for _, m := range mechanisms {
		if _, err := regexp.Compile(m.Arg); err != nil || m.Arg == "" {
			t.Errorf("%s has no phases: %v", m.Name, err)
		}
	}
}

func TestScaled(t *testing.T) {
	t.Chdir("../../..")
	e, ok := scaled("minMeet*2")
	if !ok {
		t.Fatal("there is no such constant")
	}
	if err := patch.Check([]*patch.Patch{{Name: "minMeet", Edits: []patch.Edit{e}}}); err != nil {
		t.Error(err)
	}
	if _, ok := scaled("nothing*2"); ok {
		t.Error("there is a constant without a name")
	}
}

func TestParse(t *testing.T) {
	got := parse("# a comment\nBenchmarkPhase/a_b/subject=thread 1 2 p50-ns 3 cpu-ns/op\n")
	if r := got["a_b/subject=thread"]; len(got) != 1 || r["p50-ns"] != 2 || r["cpu-ns/op"] != 3 {
		t.Errorf("%v", got)
	}
}

func TestMedian(t *testing.T) {
	list := []result{{"x": 4}, {"x": 1}, {"x": 3}, {"x": 9}}
	if m := median(list, func(i int) float64 { return list[i]["x"] }); m != 3.5 {
		t.Errorf("the median of 4, 1, 3 and 9 is %v", m)
	}
}
