// Package ui writes what the commands report: numbers with units, text and tables on a terminal.
package ui

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// A Screen is the destination of text. One that is not a terminal has no colours, and no limit to
// the width of tables.
type Screen struct {
	Width    int
	Err      error // the first error of a write; nothing is written after it
	out      io.Writer
	tty      bool
	colour   bool
	progress int // columns of the progress that is shown
}

// unlimited is the width of a file or a pipe.
const unlimited = 1 << 20

// To returns a screen that is not a terminal.
func To(w io.Writer) *Screen { return &Screen{Width: unlimited, out: w} }

// On returns the screen for f. In the environment, COLUMNS sets its width, and NO_COLOR and
// TERM=dumb turn colours off.
func On(f *os.File) *Screen {
	s := To(f)
	if s.tty = term.IsTerminal(int(f.Fd())); s.tty {
		s.Width = 80
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			s.Width = w
		}
	}
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 {
		s.Width = w
	}
	if !s.tty {
		return s
	}
	s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		(runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != "") // older consoles show the codes
	return s
}

// Terminal reports whether the screen is one, which shows progress.
func (s *Screen) Terminal() bool { return s.tty }

// Write writes p as it is.
func (s *Screen) Write(p []byte) (n int, err error) {
	if s.Err == nil {
		n, s.Err = s.out.Write(p)
	}
	return n, s.Err
}

// Printf formats and writes text.
func (s *Screen) Printf(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// Progress replaces the progress that a terminal shows by text, and removes it if text is empty.
// Text has no styles and is cut to one line. Remove the progress before writing anything else.
func (s *Screen) Progress(text string) {
	if !s.tty {
		return
	}
	text = Head(text, max(1, s.Width-1))
	blank := strings.Repeat(" ", max(0, s.progress-Columns(text)))
	s.progress = Columns(text)
	fmt.Fprint(s, "\r"+text+blank+"\r")
}

// Paragraph writes text, broken at blanks where the screen has a width. The first line begins with
// prefix, the others are indented by its width.
func (s *Screen) Paragraph(prefix, text string) {
	margin, most := Columns(prefix), min(s.Width, MaxWidth)
	if s.Width == unlimited { // a reader of lines, such as grep, does not expect half of one
		most = unlimited
	}
	line, width := prefix, margin
	for i, word := range strings.Fields(text) {
		w := Columns(word)
		switch {
		case i == 0:
		case width+1+w > most:
			fmt.Fprintln(s, line)
			line, width = strings.Repeat(" ", margin), margin
		default:
			line, width = line+" ", width+1
		}
		line, width = line+word, width+w
	}
	fmt.Fprintln(s, strings.TrimRight(line, " "))
}

// MaxWidth is the width of text on a wider screen; longer lines are hard to read.
const MaxWidth = 100

// Columns returns the width of text, without its styles.
func Columns(text string) int {
	n, inCode := 0, false
	for _, r := range text {
		switch {
		case inCode:
			inCode = r != 'm'
		case r == '\x1b':
			inCode = true
		default:
			n++
		}
	}
	return n
}

// Plain returns text with each control character but newlines and tabs in its form in Go source,
// "\x1b". A terminal executes control characters, which names of files and names in traces may
// have.
func Plain(text string) string {
	hidden := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	}
	var out strings.Builder
	for _, r := range text {
		if hidden(r) {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Head cuts text to its first n columns. The text has no styles.
func Head(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// Tail cuts text to its last n columns. The text has no styles.
func Tail(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return text
}

// Pad adds blanks to text up to the width, after it or before it.
func Pad(text string, width int, left bool) string {
	blanks := strings.Repeat(" ", max(0, width-Columns(text)))
	if left {
		return text + blanks
	}
	return blanks + text
}

// These put text into a style, if the screen has styles.
func (s *Screen) Bold(text string) string  { return s.style("1", text) }
func (s *Screen) Faint(text string) string { return s.style("2", text) }
func (s *Screen) Green(text string) string { return s.style("32", text) }
func (s *Screen) Red(text string) string   { return s.style("1;31", text) }

func (s *Screen) style(code, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// A Table has rows of cells, which may have styles. The first row is the heading. A later row of
// one cell is text across all columns.
type Table struct {
	Left  int  // number of columns of text, which come first; the others are numbers
	Whole bool // text that is too wide has a line of its own, in place of losing its front
	rows  [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

const margin, gap = "  ", "  "

// Write writes the table, indented by two columns. If it is too wide, the last column of text loses
// its front, and text across all columns, too.
func (t *Table) Write(s *Screen) {
	widths, missing := make([]int, len(t.rows[0])), len(margin)-len(gap)-s.Width
	for i := range widths {
		for _, row := range t.rows {
			if len(row) == len(widths) {
				widths[i] = max(widths[i], Columns(row[i]))
			}
		}
		missing += widths[i] + len(gap)
	}
	if last := t.Left - 1; last >= 0 && missing > 0 {
		widths[last] = min(widths[last], max(12, widths[last]-missing))
	}
	for n, row := range t.rows {
		if len(row) < len(widths) {
			if room := s.Width - len(margin); Columns(row[0]) > room {
				row[0] = Tail(row[0], room)
			}
			s.Printf("%s%s\n", margin, row[0])
			continue
		}
		cells := make([]string, len(row))
		for i, cell := range row {
			if i == t.Left-1 && t.Whole && Columns(cell) > widths[i] {
				s.Printf("%s%s\n", margin, cell)
				cell = ""
			} else if i == t.Left-1 {
				cell = Tail(cell, widths[i])
			}
			cells[i] = Pad(cell, widths[i], i < t.Left)
		}
		line := strings.TrimRight(margin+strings.Join(cells, gap), " ")
		if n == 0 {
			line = s.Faint(line)
		}
		s.Printf("%s\n", line)
	}
}
