// Package statusline shows what goes on in a line that changes, if there is a terminal.
package statusline

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// A Line is the last line of what is written to a file.
type Line struct {
	out   io.Writer
	live  bool
	width int
}

// New returns the line of f.
func New(f *os.File) *Line {
	l := &Line{out: f, width: 80}
	if l.live = term.IsTerminal(int(f.Fd())); l.live {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			l.width = w
		}
	}
	return l
}

// Live tells whether the line can change, which it can on a terminal.
func (l *Line) Live() bool { return l.live }

// Show replaces the line by as much of text as fits. It does nothing if the line cannot change.
func (l *Line) Show(text string) {
	if l.live {
		fmt.Fprintf(l.out, "\r\x1b[K%.*s", l.width-1, text)
	}
}

// Clear removes the line, so that something else can be written.
func (l *Line) Clear() { l.Show("") }

// Print writes a line that stays.
func (l *Line) Print(text string) {
	l.Clear()
	fmt.Fprintln(l.out, text)
}
