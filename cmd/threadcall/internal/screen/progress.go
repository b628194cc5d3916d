package screen

import (
	"fmt"
	"strings"
)

// Progress shows text in place of the progress before, and removes that if text is empty. It does nothing where there
// is no terminal. Text has no styles, and loses the end of what does not fit into one line, because more than that could
// not be removed. Remove it before writing anything else.
func (s *Screen) Progress(text string) {
	if !s.tty {
		return
	}
	if r, room := []rune(text), max(1, s.Width-1); len(r) > room {
		text = string(r[:room-1]) + "…"
	}
	blank := strings.Repeat(" ", max(0, s.progress-Columns(text)))
	s.progress = Columns(text)
	fmt.Fprint(s, "\r"+text+blank+"\r")
}
