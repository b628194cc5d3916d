package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Progress is where a run reports how it goes on.
type Progress struct {
	Progress *ui.Screen
	Terminal bool // Progress can be replaced
}

// trouble writes what the results, or the error, contain as well.
func (p Progress) trouble(text string) {
	p.Progress.Progress("")
	p.Progress.Paragraph("", text)
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

func (p Progress) waiting(holder string) {
	p.Progress.Progress("")
	p.Progress.Paragraph("Waiting for ", ui.Plain(holder))
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

// A pace decides after which rounds there is a line where no terminal shows the bar: the first, which says how long it
// will take, then one each tenth of the rounds, and none for longer than half a minute.
type pace struct {
	tenth int
	at    time.Time
}

const atLeastEvery = 30 * time.Second

func (p *pace) due(number, of int, now time.Time) bool {
	tenth := 10 * number / of
	if number > 1 && tenth == p.tenth && now.Sub(p.at) < atLeastEvery {
		return false
	}
	p.tenth, p.at = tenth, now
	return true
}

// roundDone writes a line where there is no terminal for the bar.
func (p Progress) roundDone(pace *pace, r Round, of int, left string) {
	if p.Terminal || !pace.due(r.Number, of, time.Now()) {
		return
	}
	text := fmt.Sprintf("round %d of %d: %s in %.1f s", r.Number, of, ui.Counted(r.Processes, "process", "processes"), r.Seconds)
	if r.Noisy > 0 {
		text += fmt.Sprintf(", %d of them noisy", r.Noisy)
	}
	fmt.Fprintln(p.Progress, text+left)
}
