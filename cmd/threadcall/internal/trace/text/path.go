package text

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// maxSteps limits the steps in the text.
const maxSteps = 40

func (t text) path(r *report.Report) {
	p := r.Path
	if p == nil {
		return
	}
	t.heading("Critical path of " + ui.Plain(p.What))
	t.Paragraph("  ", fmt.Sprintf("%s from %s, ended by goroutine %d. While a goroutine waits, the path is that of the one which ends the wait.",
		ui.Duration(p.Length), ui.Duration(p.At), p.Goroutine))
	t.Printf("\n")
	parts := ui.Table{Left: 2}
	parts.Add("what", "at", "times", "in all", "")
	for _, x := range p.Parts[:min(len(p.Parts), report.Shown)] {
		parts.Add(x.Doing, name(x.Frame), ui.Count(x.N), ui.Duration(x.Time), ui.Share(float64(x.Time), float64(p.Length)))
	}
	parts.Write(t.Screen)
	t.more(len(p.Parts)-report.Shown, "place")
	t.Printf("\n")
	steps := ui.Table{Left: 3}
	steps.Add("goroutine", "what", "at", "from", "for")
	shown := 0
	for _, s := range p.Steps {
		if len(p.Steps) > maxSteps && s.Length*200 < p.Length || shown == maxSteps {
			continue
		}
		shown++
		doing := s.Doing
		if s.For != "" {
			doing += ", ends a " + s.For
		}
		steps.Add(strings.Repeat(" ", min(s.Depth, 8))+fmt.Sprint(s.Goroutine), doing, name(s.Frame), ui.Duration(s.At-p.At), ui.Duration(s.Length))
	}
	steps.Write(t.Screen)
	t.more(len(p.Steps)-shown+int(p.Omitted), "step")
}

func (t text) tasks(r *report.Report) {
	if len(r.Tasks) == 0 {
		return
	}
	t.heading("Tasks")
	table := ui.Table{Left: 1}
	table.Add("type", "tasks", "median", "99 %", "longest", "at", "its ID", "unfinished")
	for _, x := range r.Tasks[:min(len(r.Tasks), report.Shown)] {
		id, at := "-", "-"
		if x.Times.N > 0 {
			id, at = fmt.Sprint(x.ID), ui.Duration(x.Longest.At)
		}
		table.Add(x.Type, ui.Count(x.Times.N), ui.Duration(x.Times.P50), ui.Duration(x.Times.P99), ui.Duration(x.Times.Max), at, id, ui.Count(x.Unfinished))
	}
	table.Write(t.Screen)
	t.more(len(r.Tasks)-report.Shown, "type")
}
