package ui

import (
	"os"
	"strings"
	"testing"
)

func TestAPipeIsPlainAndEightyColumnsWide(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := On(w)
	if got := s.Bold("b") + s.Faint("f") + s.Green("g") + s.Red("r"); got != "bfgr" || s.Width != 80 {
		t.Errorf("%q, %d columns", got, s.Width)
	}
	s.Progress("half")
	s.Progress("")
	w.Close()
	if n, _ := r.Read(make([]byte, 1)); n != 0 {
		t.Error("progress in a pipe")
	}
}

func TestParagraphsAreBrokenAtBlanks(t *testing.T) {
	var b strings.Builder
	s := &Screen{out: &b, Width: 16, colour: true}
	s.Paragraph("a: ", "one two\n\t  three "+s.Red("four")+" averyveryverylongword")
	const want = "a: one two three\n   \x1b[1;31mfour\x1b[0m\n   averyveryverylongword\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}

func TestProgressReplacesTheProgressBefore(t *testing.T) {
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

func TestATableTakesNoMoreRoomThanItNeeds(t *testing.T) {
	var b strings.Builder
	s := &Screen{out: &b, Width: 20}
	table := Table{Left: 1}
	table.Add("", "numbers", "that", "need", "all", "room")
	table.Title("a title that is longer")
	table.Add("x", "1", "2", "3", "4", "5")
	table.Write(s)
	const want = "     numbers  that  need  all  room\n  …le that is longer\n  x        1     2     3    4     5\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
