package measure

import (
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// measuring shows a bar of the part that is done, from 0 to 1.
func measuring(log *plan.Log, done float64, text string) {
	const cells = 20
	full := int(done * cells)
	log.Progress(strings.Repeat("━", full) + strings.Repeat("─", cells-full) + " " + text)
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
func roundDone(log *plan.Log, pace *pace, r Round, of int, left string) {
	if log.Terminal || !pace.due(r.Number, of, time.Now()) {
		return
	}
	text := fmt.Sprintf("round %d of %d: %s in %.1f s", r.Number, of, ui.Counted(r.Processes, "process", "processes"), r.Seconds)
	if r.Noisy > 0 {
		text += fmt.Sprintf(", %d of them noisy", r.Noisy)
	}
	fmt.Fprintln(log, text+left)
}
