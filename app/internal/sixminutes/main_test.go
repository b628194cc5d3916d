package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/app/internal/screen"
)

func TestDesigns(t *testing.T) {
	out, err := exec.Command(screen.Program(t), "-for", "2s").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "| article's first | article's last | threadcall | package "+
		"app |") ||
		!strings.Contains(string(out), "| mallocs a frame | 2.") {
		t.Errorf("the article's first design should allocate twice a "+
			"frame:\n%s", out)
	}
}
