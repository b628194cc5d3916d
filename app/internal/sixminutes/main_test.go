package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/app/internal/screen"
)

func TestEveryDesignIsMeasured(t *testing.T) {
	program := screen.Program(t)
	out, err := exec.Command(program, "-for", "2s").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, d := range designs {
		if !strings.Contains(string(out), " "+d.title+" |") {
			t.Errorf("there is no column %q", d.title)
		}
	}
	if !strings.Contains(string(out), "| mallocs a frame | 2.") {
		t.Errorf("the article's first design should allocate twice a frame:\n%s", out)
	}
}

func TestGrowthIsBetweenCollections(t *testing.T) {
	m := meter{low: sample{heap: 100}}
	for _, s := range []sample{{heap: 300}, {heap: 350}, {heap: 90, collections: 1}, {heap: 250, collections: 1}, {heap: 120, collections: 2}} {
		m.add(s)
	}
	if m.growth != 250 {
		t.Error(m.growth)
	}
}
