package main

import (
	"regexp"
	"testing"

	"github.com/threadcall/threadcall/rig/patch"
)

func TestMechanisms(t *testing.T) {
	t.Chdir("../..")
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
	t.Chdir("../..")
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
