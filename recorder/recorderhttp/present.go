package recorderhttp

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	texttemplate "text/template"
)

// title says what is wrong, if anything.
func (p *page) Title() string {
	if p.Stuck == 0 {
		return "No thread is stuck"
	}
	return fmt.Sprintf("%d of %d threads and pools are stuck", p.Stuck, len(p.Threads))
}

// Notes are what is to be known of a row beside its numbers.
func (r *row) Notes() (notes []string) {
	note := func(is bool, format string, args ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	note(r.Size > 0, "pool of %d, %d idle", r.Size, r.Idle)
	note(r.Key != "", "key %s", r.Key)
	note(r.Unserved, "nothing serves it")
	note(r.Dropped, "handle dropped")
	note(r.Limit > 0, "queue limit %d", r.Limit)
	note(r.Blocked > 0, "%d posters wait for the limit", r.Blocked)
	note(r.Slow > 0, "%d slow calls", r.Slow)
	note(r.P99 > 0, "waits: median %v, p99 %v", r.Median, r.P99)
	return notes
}

type namedSpan struct {
	Name string
	span
	Share string // of the time that the thread was busy
}

// Spans are the last minute, if it is known, and the time since the thread was made.
func (r *row) Spans() (spans []namedSpan) {
	if s := r.Last; s.Seconds > 0 {
		spans = append(spans, namedSpan{"last " + s.Seconds.String(), s, fmt.Sprintf("%d %%", s.Load())})
	}
	return append(spans, namedSpan{"in all", r.Total, r.Total.Busy.String()})
}

//go:embed page.html page.txt
var pages embed.FS

var (
	html = template.Must(template.ParseFS(pages, "page.html"))
	text = texttemplate.Must(texttemplate.New("page.txt").Funcs(texttemplate.FuncMap{
		"join": strings.Join, "indent": indent,
	}).ParseFS(pages, "page.txt"))
)

var formats = map[string]struct {
	contentType string
	write       func(w io.Writer, p any) error
}{
	"html": {"text/html", html.Execute},
	"text": {"text/plain", text.Execute},
	"json": {"application/json", func(w io.Writer, p any) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(p)
	}},
}

func indent(stack string) string {
	return "      " + strings.ReplaceAll(strings.TrimSuffix(stack, "\n"), "\n", "\n      ")
}
