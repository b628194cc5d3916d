package session

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Progress is where a run reports how it goes on.
type Progress struct {
	Out      *ui.Screen // for what belongs to the results
	Progress *ui.Screen
	Terminal bool // Progress can be replaced
}

// sentence writes one that belongs to the results.
func (p Progress) sentence(text string) {
	p.Progress.Progress("")
	p.Out.Paragraph("", text)
}

// trouble writes what the results, or the error, contain as well.
func (p Progress) trouble(text string) {
	p.Progress.Progress("")
	p.Progress.Paragraph("", text)
}

func (p Progress) machine(findings []machine.Finding) {
	p.Progress.Progress("")
	writeFindings(p.Out, "The machine", findings)
	fmt.Fprintln(p.Out)
}

// writeFindings prints what matters, and in one line what is fine.
func writeFindings(out *ui.Screen, title string, findings []machine.Finding) {
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

func (p Progress) waiting(ahead []lock.Entry) {
	p.Progress.Progress("")
	for _, e := range ahead {
		p.Progress.Paragraph("Waiting for ", e.String())
	}
}

// doing shows text in place of the one before; empty: nothing.
func (p Progress) doing(text string) {
	p.Progress.Progress(text)
}

// measuring shows a bar of the part that is done, from 0 to 1.
func (p Progress) measuring(done float64, text string) {
	const cells = 20
	full := int(done * cells)
	p.doing(strings.Repeat("━", full) + strings.Repeat("─", cells-full) + " " + text)
}

// roundDone writes a line where there is no terminal for the bar.
func (p Progress) roundDone(r Round, of int, left string) {
	if p.Terminal {
		return
	}
	text := fmt.Sprintf("round %d of %d: %s in %.1f s", r.Number, of, count(r.Processes, "process", "processes"), r.Seconds)
	if r.Noisy > 0 {
		text += fmt.Sprintf(", %d of them noisy", r.Noisy)
	}
	if left != "" {
		text += ", " + left
	}
	fmt.Fprintln(p.Progress, text)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
