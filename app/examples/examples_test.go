// Package examples_test runs the examples on a screen in memory.
package examples_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
)

func TestExamples(t *testing.T) {
	s, err := screen.Start()
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	defer s.Conn.Close()
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	start := func(t *testing.T, name string, args ...string) *program {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 2*testutil.TimeLimit())
		t.Cleanup(cancel)
		p := &program{Cmd: exec.CommandContext(ctx, filepath.Join(bin, name), args...)}
		p.Stdout, p.Stderr = &p.out, &p.out
		screen.Must(t, p.Start())
		return p
	}

	names := []string{"game", "triangle", "windows"}
	for _, name := range names {
		t.Run(name+"/no display", func(t *testing.T) {
			t.Setenv("DISPLAY", "")
			p := start(t, name, "-d", "10s")
			if err := p.Wait(); err == nil || !strings.Contains(p.out.String(), "DISPLAY") {
				t.Errorf("it ended with %v and wrote %q", err, p.out.String())
			}
		})
	}
	t.Setenv("DISPLAY", s.Display)
	for _, name := range names {
		t.Run(name+"/shows", func(t *testing.T) {
			p := start(t, name, "-d", "3s")
			testutil.Eventually(t, func() bool { return colours(s.Picture(t)) >= 50 },
				"a picture")
			p.succeed(t)
		})
	}
	t.Run("windows/trace", func(t *testing.T) {
		trace := filepath.Join(t.TempDir(), "trace")
		start(t, "windows", "-run", "3", "-trace", trace, "-d", "1s").succeed(t)
		if text, err := os.ReadFile(trace); err != nil || !bytes.HasPrefix(text, []byte("go 1.")) {
			t.Errorf("%d bytes, %v", len(text), err)
		}
	})
}

// A program is an example that runs.
type program struct {
	*exec.Cmd
	out bytes.Buffer
}

// succeed waits until the program ends. It writes nothing.
func (p *program) succeed(t *testing.T) {
	t.Helper()
	if err := p.Wait(); err != nil || p.out.Len() > 0 {
		t.Errorf("%v: %v, and it wrote %q", p.Args, err, p.out.String())
	}
}

// colours returns how many colours a picture has.
func colours(p *image.RGBA) int {
	seen := map[color.Color]bool{}
	for i := 0; i < len(p.Pix); i += 4 {
		seen[color.RGBA{p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3]}] = true
	}
	return len(seen)
}
