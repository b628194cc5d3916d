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
