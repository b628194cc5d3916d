//go:build !windows && !darwin

// Package examples_test runs the examples as a user does, on a screen of its own.
package examples_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/threadcall/threadcall/internal/testutil/xvfb"
)

var programs = []string{"triangle", "viewer", "windows", "workers"}

const patience = 30 * time.Second

func TestExamples(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Run("says that there is no display", func(t *testing.T) {
		t.Setenv("DISPLAY", "")
		for _, name := range programs {
			p := start(t, bin, name, "-d", "10s")
			if err := p.cmd.Wait(); err == nil || !strings.Contains(p.said.String(), "DISPLAY") {
				t.Errorf("%s ended with %v and said %q", name, err, p.said.String())
			}
		}
	})
	s := &screen{Screen: xvfb.Start(t)}
	s.connect(t)

	files := pictures(t)
	for _, c := range []struct {
		args    []string
		colours int // at least
	}{
		{[]string{"triangle"}, 50},
		{[]string{"triangle", "-fast"}, 50},
		{[]string{"viewer"}, 2},
		{[]string{"viewer", files.red}, 2},
		{[]string{"windows"}, 2},
		{[]string{"workers"}, 50},
	} {
		t.Run("shows something: "+c.args[0], func(t *testing.T) {
			p := start(t, bin, c.args[0], c.args[1:]...)
			s.Await(t, 480, 360, c.colours)
			p.kill()
		})
		t.Run("ends: "+c.args[0], func(t *testing.T) {
			start(t, bin, c.args[0], append([]string{"-d", "1s"}, c.args[1:]...)...).succeed(t)
		})
	}
	t.Run("ends when Escape is pressed", func(t *testing.T) {
		for _, name := range []string{"triangle", "viewer", "workers"} {
			p := start(t, bin, name)
			s.Await(t, 480, 360, 2)
			s.press(t, escape)
			p.succeed(t)
		}
	})
	t.Run("windows writes a trace", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "trace")
		start(t, bin, "windows", "-run", "3", "-trace", file, "-d", "1s").succeed(t)
		if text, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(text, []byte("go 1.")) {
			t.Errorf("%d bytes, %v", len(text), err)
		}
	})
	t.Run("the viewer turns pages, and keeps a picture when the next is bad", func(t *testing.T) {
		p := start(t, bin, "viewer", files.red, files.bad, files.green)
		shows := func(want color.RGBA) func() bool {
			return func() bool { return s.picture(t).RGBAAt(480, 320) == want }
		}
		s.wait(t, "the first picture", shows(red))
		s.press(t, right)
		s.wait(t, "the title to tell of the bad file", func() bool { return strings.Contains(s.titles(t), "bad.png (2 of 3): is no") })
		if !shows(red)() {
			t.Error("the first picture is gone")
		}
		s.press(t, right)
		s.wait(t, "the last picture", shows(green))
		s.press(t, escape)
		p.succeed(t)
	})
	t.Run("the viewer uses no CPU while nothing happens", func(t *testing.T) {
		used := func(d string) time.Duration {
			p := start(t, bin, "viewer", "-d", d, files.red)
			p.succeed(t)
			return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
		}
		if short, long := used("1s"), used("5s"); long > short+400*time.Millisecond {
			t.Errorf("it used %v in a second, and %v in 5", short, long)
		}
	})
	t.Run("workers begins anew after a click", func(t *testing.T) {
		p := start(t, bin, "workers")
		done := func() bool { return strings.Contains(s.titles(t), "tiles in") }
		s.wait(t, "the picture", done)
		before := s.picture(t)
		s.click(t, 300, 200)
		s.wait(t, "another picture", func() bool { return done() && !slices.Equal(s.picture(t).Pix, before.Pix) })
		s.press(t, escape)
		p.succeed(t)
	})
}

// A program is an example that runs.
type program struct {
	cmd  *exec.Cmd
	said bytes.Buffer
}

func start(t *testing.T, bin, name string, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	p := &program{cmd: exec.CommandContext(ctx, filepath.Join(bin, name), args...)}
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// succeed waits until the program ends. It should not say anything.
func (p *program) succeed(t *testing.T) {
	t.Helper()
	if err := p.cmd.Wait(); err != nil || p.said.Len() > 0 {
		t.Errorf("%v: %v, and it said %q", p.cmd.Args, err, p.said.String())
	}
}

// A screen is what a user sees and does.
type screen struct {
	*xvfb.Screen
	*xgb.Conn
	root xproto.Window
}

// Keys, by the numbers that they have on every Xvfb.
const (
	escape = 9
	right  = 114
)

func (s *screen) connect(t *testing.T) {
	t.Helper()
	t.Setenv("XAUTHORITY", "")
	xgb.Logger.SetOutput(io.Discard)
	c, err := xgb.NewConn()
	if err == nil {
		t.Cleanup(c.Close)
		err = xtest.Init(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Conn, s.root = c, xproto.Setup(c).DefaultScreen(c).Root
}

// wait waits until ok returns true.
func (s *screen) wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s; the titles are %q", what, s.titles(t))
		}
	}
}

// picture returns what the screen shows.
func (s *screen) picture(t *testing.T) *image.RGBA {
	t.Helper()
	m, err := s.Picture()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// titles returns those of all windows.
func (s *screen) titles(t *testing.T) string {
	t.Helper()
	all, err := xproto.QueryTree(s.Conn, s.root).Reply()
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, w := range all.Children {
		p, err := xproto.GetProperty(s.Conn, false, w, xproto.AtomWmName, xproto.GetPropertyTypeAny, 0, 1000).Reply()
		if err == nil && len(p.Value) > 0 { // it may have been closed
			titles = append(titles, string(p.Value))
		}
	}
	return strings.Join(titles, "\n")
}

func (s *screen) press(t *testing.T, key byte) {
	t.Helper()
	s.fake(t, xproto.KeyPress, key, 0, 0)
	s.fake(t, xproto.KeyRelease, key, 0, 0)
}

func (s *screen) click(t *testing.T, x, y int16) {
	t.Helper()
	s.fake(t, xproto.MotionNotify, 0, x, y)
	s.fake(t, xproto.ButtonPress, 1, 0, 0)
	s.fake(t, xproto.ButtonRelease, 1, 0, 0)
}

func (s *screen) fake(t *testing.T, kind, detail byte, x, y int16) {
	t.Helper()
	if err := xtest.FakeInputChecked(s.Conn, kind, detail, 0, s.root, x, y, 0).Check(); err != nil {
		t.Fatal(err)
	}
}

var (
	red   = color.RGBA{200, 30, 30, 255}
	green = color.RGBA{30, 160, 60, 255}
)

// pictures writes some files.
func pictures(t *testing.T) (files struct{ red, green, bad string }) {
	t.Helper()
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	filled := func(c color.RGBA) []byte {
		m := image.NewRGBA(image.Rect(0, 0, 200, 200))
		draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	files.red, files.green = file("red.png", filled(red)), file("green.png", filled(green))
	files.bad = file("bad.png", []byte("no picture"))
	return files
}
