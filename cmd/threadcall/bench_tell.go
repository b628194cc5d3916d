package main

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/session"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

// A benchTeller shows how a run goes on.
type benchTeller struct {
	out      *screen.Screen // what belongs to the results
	progress *screen.Screen
	terminal bool // progress can be shown
	settings *session.Settings
}

func (t *benchTeller) Note(text string) {
	t.progress.Progress("")
	t.out.Paragraph("", text)
}

func (t *benchTeller) Trouble(text string) {
	t.progress.Progress("")
	t.progress.Paragraph("", text)
}

func (t *benchTeller) Machine(findings []machine.Finding) {
	t.progress.Progress("")
	tellFindings(t.out, "The machine", findings)
	fmt.Fprintln(t.out)
}

// tellFindings prints what matters, and in one line what is fine.
func tellFindings(out *screen.Screen, title string, findings []machine.Finding) {
	if len(findings) == 0 {
		return
	}
	fmt.Fprintln(out, out.Bold(title))
	var fine []string
	for _, f := range findings {
		if f.Level == machine.Fine {
			fine = append(fine, f.Name+" "+f.Value)
			continue
		}
		mark := "note    "
		if f.Level == machine.Warning {
			mark = out.Red("warning") + " "
		}
		text := f.Name + ": " + f.Value
		if f.Meaning != "" {
			text += ". " + f.Meaning
		}
		out.Paragraph("  "+mark, text)
	}
	if fine != nil {
		out.Paragraph("  "+out.Green("fine")+"    ", strings.Join(fine, "; "))
	}
}

func (t *benchTeller) Waiting(ahead []lock.Entry) {
	t.progress.Progress("")
	for _, e := range ahead {
		t.progress.Paragraph("Waiting for ", e.String())
	}
}

func (t *benchTeller) Doing(text string) {
	t.progress.Progress(text)
}

// Measuring shows a bar.
func (t *benchTeller) Measuring(done float64, text string) {
	const cells = 20
	full := int(done * cells)
	t.Doing(strings.Repeat("━", full) + strings.Repeat("─", cells-full) + " " + text)
}

// RoundDone writes a line where there is no terminal for the bar.
func (t *benchTeller) RoundDone(r session.Round, left string) {
	if t.terminal {
		return
	}
	text := fmt.Sprintf("round %d of %d: %s in %.1f s", r.Number, t.settings.Count, count(r.Processes, "process", "processes"), r.Seconds)
	if r.Noisy > 0 {
		text += fmt.Sprintf(", %d of them noisy", r.Noisy)
	}
	if left != "" {
		text += ", " + left
	}
	fmt.Fprintln(t.progress, text)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
