// Package examples_test runs the examples on a screen in memory.
package examples_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
)

// Keysyms.
const (
	escape = 0xff1b
	right  = 0xff53
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
	file := files(t)

	for _, name := range []string{"triangle", "viewer", "windows"} {
		t.Run(name+"/no display", func(t *testing.T) {
			t.Setenv("DISPLAY", "")
			p := start(t, name, "-d", "10s")
			if err := p.Wait(); err == nil || !strings.Contains(p.out.String(), "DISPLAY") {
				t.Errorf("it ended with %v and wrote %q", err, p.out.String())
			}
		})
	}
	t.Setenv("DISPLAY", s.Display)
	for _, c := range []struct {
		args    []string
		colours int // at least
	}{
		{[]string{"triangle"}, 50},
		{[]string{"viewer", file("picture.png")}, 5},
		{[]string{"windows"}, 50},
	} {
		t.Run(strings.Join(append(c.args[:1:1], "shows"), "/"), func(t *testing.T) {
			p := start(t, c.args[0], append([]string{"-d", "3s"}, c.args[1:]...)...)
			var picture *image.RGBA
			testutil.Eventually(t, func() bool {
				picture = s.Picture(t)
				return screen.Colours(picture) >= c.colours
			}, "a picture")
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
	t.Run("viewer/files", func(t *testing.T) {
		p := start(t, "viewer", file("picture.png"), file("bad.png"), file("other.png"))
		shows := func(want ...color.RGBA) func() bool {
			return func() bool {
				m := s.Picture(t) // the window is 960 by 640, at (0, 0)
				for i, c := range want {
					if m.RGBAAt(380+i%2*200, 220+i/2*200) != c {
						return false
					}
				}
				return true
			}
		}
		testutil.Eventually(t, shows(quarters[:]...), "the first picture, upright")
		s.Type(t, right)
		testutil.Eventually(t, func() bool {
			return strings.Contains(s.Titles(t), "bad.png: image: unknown format")
		}, "the title of a bad file")
		if !shows(quarters[:]...)() {
			t.Error("the first picture has gone")
		}
		s.Type(t, right)
		testutil.Eventually(t, shows(quarters[3], quarters[2]), "the last picture")
		s.Type(t, escape)
		p.succeed(t)
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

var quarters = [4]color.RGBA{{200, 30, 30, 255}, {30, 160, 60, 255}, {30, 60, 160, 255},
	{200, 200, 30, 255}}

// files writes a picture of four quarters, another one turned upside down and mirrored, and a file
// that is none.
func files(t *testing.T) (file func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	file = func(name string) string { return filepath.Join(dir, name) }
	for name, turn := range map[string]int{"picture.png": 0, "other.png": 3} {
		m := image.NewRGBA(image.Rect(0, 0, 200, 200))
		for i := range 200 * 200 {
			m.SetRGBA(i%200, i/200, quarters[(i%200/100+i/20000*2)^turn])
		}
		var b bytes.Buffer
		screen.Must(t, png.Encode(&b, m))
		screen.Must(t, os.WriteFile(file(name), b.Bytes(), 0o666))
	}
	screen.Must(t, os.WriteFile(file("bad.png"), []byte("no picture"), 0o666))
	return file
}
