package ui

import (
	"os"
	"strings"
	"testing"
)

func TestOn_pipe(t *testing.T) {
	t.Setenv("COLUMNS", "")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := On(w)
	if got := s.Bold("b") + s.Faint("f") + s.Green("g") + s.Red("r"); got != "bfgr" ||
		s.Width < 10000 {
		t.Errorf("%q, %d columns", got, s.Width)
	}
	s.Progress("half")
	s.Progress("")
	w.Close()
	if n, _ := r.Read(make([]byte, 1)); n != 0 {
		t.Error("progress in a pipe")
	}
}

func TestOn_columns(t *testing.T) {
	for columns, want := range map[string]int{"57": 57, "0": unlimited, "-3": unlimited,
		"wide": unlimited} {
		t.Setenv("COLUMNS", columns)
		if got := On(os.Stdin).Width; got != want && want == 57 || got == 0 || got == -3 {
			t.Errorf("COLUMNS=%s: %d columns", columns, got)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"ü, a\nb\tc":          "ü, a\nb\tc",
		"a\x1b[31mred\r":      `a\x1b[31mred\r`,
		"\u009b31m\x7f\x00":   `\u009b31m\x7f\x00`,
		"right \u202eto left": `right \u202eto left`,
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestScreen_Paragraph(t *testing.T) {
	var b strings.Builder
	s := &Screen{out: &b, Width: 16, colour: true}
	s.Paragraph("a: ", "one two\n\t  three "+s.Red("four")+" averyveryverylongword")
	const want = "a: one two three\n   \x1b[1;31mfour\x1b[0m\n   averyveryverylongword\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}

func TestScreen_Progress(t *testing.T) {
	var b strings.Builder
	s := &Screen{out: &b, Width: 10, tty: true}
	s.Progress("long text")
	s.Progress("é")
	s.Progress("")
	if want := "\rlong text\r\ré        \r\r \r"; b.String() != want {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	s.Progress("longer text")
	if want := "\rlonger t…\r"; b.String() != want {
		t.Errorf("%q, which the next progress cannot replace", b.String())
	}
}

func TestTable_Write(t *testing.T) {
	var b strings.Builder
	s := &Screen{out: &b, Width: 20}
	table := Table{Left: 1}
	table.Add("", "numbers", "that", "need", "all", "room")
	table.Add("a title that is longer")
	table.Add("x", "1", "2", "3", "4", "5")
	table.Write(s)
	const want = "     numbers  that  need  all  room\n  …le that is longer\n  x        1     2     " +
		"3    4     5\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
