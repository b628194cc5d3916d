package screen

import (
	"fmt"
	"strings"
)

// Progress shows text in place of the progress before, and removes that if text is empty. It does nothing where there
// is no terminal. Remove it before writing anything else.
func (s *Screen) Progress(text string) {
	if !s.tty {
		return
	}
	blank := strings.Repeat(" ", max(0, s.progress-Columns(text)))
	s.progress = Columns(text)
	fmt.Fprint(s, "\r"+text+blank+"\r")
}
