// Package screen writes text for people: as wide as their terminal, and in colour if it has any.
package screen

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// A Screen is where text goes. What is not a terminal is 80 columns wide and has no colours.
type Screen struct {
	Width    int
	Err      error // the first that writing has met; nothing is written after it
	out      io.Writer
	tty      bool
	colour   bool
	progress int // columns of it that stand there
}

// On returns the screen that f is. The environment decides about colours: NO_COLOR and a TERM that is dumb turn them
// off.
func On(f *os.File) *Screen {
	s := &Screen{Width: 80, out: f}
	if !term.IsTerminal(int(f.Fd())) {
		return s
	}
	s.tty = true
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		s.Width = w
	}
	s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && understandsCodes(f)
	return s
}

// Discard returns a screen that nobody sees.
func Discard() *Screen { return &Screen{Width: 80, out: io.Discard} }

// Write writes p as it is.
func (s *Screen) Write(p []byte) (n int, err error) {
	if s.Err == nil {
		n, s.Err = s.out.Write(p)
	}
	return n, s.Err
}

// Paragraph writes text, broken at blanks. The first line begins with the prefix, the others below its end.
func (s *Screen) Paragraph(prefix, text string) {
	margin := Columns(prefix)
	line, width := prefix, margin
	for i, word := range strings.Fields(text) {
		w := Columns(word)
		switch {
		case i == 0:
		case width+1+w > min(s.Width, maxParagraph):
			fmt.Fprintln(s, line)
			line, width = strings.Repeat(" ", margin), margin
		default:
			line, width = line+" ", width+1
		}
		line, width = line+word, width+w
	}
	fmt.Fprintln(s, strings.TrimRight(line, " "))
}

// maxParagraph is the width beyond which the eye loses the next line.
const maxParagraph = 100

// Columns returns how wide text is. Styles have no width.
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

// These put text into a style, if the screen has it.
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
