package statusline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileGetsOnlyLinesThatStay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	l := New(f)
	l.Show("half")
	l.Print("done")
	l.Show("more")
	l.Clear()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(name); err != nil || l.Live() || string(text) != "done\n" {
		t.Errorf("%q, live: %v, %v", text, l.Live(), err)
	}
}

func TestALineOfATerminalIsReplacedAndNotBroken(t *testing.T) {
	var out strings.Builder
	l := &Line{out: &out, live: true, width: 6}
	l.Show("123456789")
	l.Print("stays")
	const want = "\r\x1b[K12345" + "\r\x1b[K" + "stays\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
