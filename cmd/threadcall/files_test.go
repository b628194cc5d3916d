package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOutputsReplaceNoInputAndNoOtherOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"sub", "other"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("in", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("in", "hard"); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"soft": "in", "dangling": "new", "sub/up": "../other"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	abs, err := filepath.Abs("in")
	if err != nil {
		t.Fatal(err)
	}
	for name, same := range map[string]bool{"in": true, "./in": true, "sub/../in": true, "hard": true, "soft": true, abs: true, "new": false, os.DevNull: false, "": false} {
		if err := distinct([]string{"in"}, target{"html", name}); (err != nil) != same {
			t.Errorf("an input in, and the output %q: %v", name, err)
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"new", "./new", true}, {"new", "sub/../new", true}, {"new", "dangling", true}, {"sub/up/x", "other/x", true}, {"in", "soft", true},
		{"new", "other/new", false}, {"", "", false}, {os.DevNull, os.DevNull, false}, {"missing/x", "missing/y", false},
	} {
		if err := distinct(nil, target{"o", c.a}, target{"html", c.b}); (err != nil) != c.same {
			t.Errorf("the outputs %q and %q: %v", c.a, c.b, err)
		}
	}
}
