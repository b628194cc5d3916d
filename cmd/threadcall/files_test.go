package main

import (
	"os"
	"testing"
)

func TestDistinct(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("in", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("in", "hard"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"in", "./in", true}, {"in", "hard", true}, {"new", "sub/../new", true},
		{"in", "new", false}, {"new", "other/new", false}, {"", "", false},
		{os.DevNull, os.DevNull, false},
	} {
		if err := distinct([]string{c.a}, target{"html", c.b}); (err != nil) != c.same {
			t.Errorf("the input %q and the output %q: %v", c.a, c.b, err)
		}
		err := distinct(nil, target{"o", c.a}, target{"html", c.b})
		if (err != nil) != c.same {
			t.Errorf("the outputs %q and %q: %v", c.a, c.b, err)
		}
	}
}
