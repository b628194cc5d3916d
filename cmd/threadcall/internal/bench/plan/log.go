package plan

import (
	"fmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Log is where a run reports how it goes on. The notes become a part of its results.
type Log struct {
	*ui.Screen
	Terminal bool // progress can be replaced
	Notes    []string
}

// Trouble writes what the results, or the error, contain as well.
func (l *Log) Trouble(text string) {
	l.Progress("")
	l.Paragraph("", text)
}

// Note adds a note.
func (l *Log) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.Notes = append(l.Notes, text)
	l.Trouble(text)
}
