package text

import (
	"fmt"
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// sections has the heading above each table to which a finding leads.
var sections = map[string]string{
	"blocked": "Blocked at the end", "waits": "Waiting", "places": "Calls to threads", "latency": "Ready, but not running",
	"assists": "Heap and collector", "stops": "Heap and collector", "time": "Heap and collector",
}

func (t text) verdict(r *report.Report) {
	if len(r.Verdict) == 0 {
		return
	}
	t.Printf("\n")
	for i, f := range r.Verdict {
		t.Paragraph(fmt.Sprintf("  %d  ", i+1), fmt.Sprintf("%s At %s; see %q.", f.Text, ui.Duration(f.At), sections[f.Table]))
	}
}

// quiet reports whether waits for a reason are intended, so that their places are of no interest.
func quiet(reason string) bool { return reason == "runtime" || reason == "sleep" }

func (t text) waiting(r *report.Report) {
	w := r.Waiting
	if len(w.Reasons) == 0 {
		return
	}
	t.heading("Waiting")
	reasons := ui.Table{Left: 1}
	reasons.Add("for", "waits", "in all", "median", "99 %", "longest", "before", "blocked")
	for _, x := range w.Reasons {
		reasons.Add(x.Reason, ui.Count(x.Times.N), ui.Duration(x.Times.Sum), ui.Duration(x.Times.P50), ui.Duration(x.Times.P99),
			ui.Duration(x.Times.Max), ui.Count(x.Earlier.N), ui.Count(x.Blocked))
	}
	reasons.Write(t.Screen)
	t.Printf("\n")
	t.Paragraph("  ", "Before are waits that began before the trace, blocked are those that have not ended. Neither is in the other columns. The "+
		"runtime ends waits for timers and for the network.")

	places := slices.DeleteFunc(slices.Clone(w.Places), func(p report.WaitPlace) bool { return quiet(p.Reason) })
	if len(places) > 0 {
		t.Printf("\n")
		list := ui.Table{Left: 2}
		list.Add("for", "at", "waits", "in all", "99 %", "longest", "contended")
		for _, p := range places[:min(len(places), report.Shown)] {
			list.Add(p.Reason, name(p.Frame), ui.Count(p.Times.N), ui.Duration(p.Times.Sum), ui.Duration(p.Times.P99),
				ui.Duration(p.Longest.Length), ui.Duration(p.Contended))
			for _, by := range p.Wakers[:min(len(p.Wakers), 2)] {
				at := "the runtime" // a timer, the network
				if by.Func != "?" {
					at = name(by.Frame)
				}
				list.Add("  ended by", at, ui.Count(by.N), ui.Duration(by.Time), "", "", "")
			}
		}
		list.Write(t.Screen)
		t.more(len(places)-report.Shown, "place")
	}
	t.blocked(w.Blocked)
	t.latency(w)
}

func (t text) more(n int, what string) {
	if n > 0 {
		t.Printf("  and %s\n", ui.Counted(n, "more "+what, "more "+what+"s"))
	}
}

func (t text) blocked(list []report.Blocked) {
	if len(list) == 0 {
		return
	}
	t.heading(sections["blocked"])
	table := ui.Table{Left: 2}
	table.Add("in", "at", "goroutines", "created", "ended", "longest")
	for _, b := range list[:min(len(list), report.Shown)] {
		table.Add(b.Reason, name(b.Frame), ui.Count(b.N), ui.Count(b.New), ui.Count(b.Ended), ui.Duration(b.Longest))
		for _, c := range b.Created[:min(len(b.Created), 2)] {
			if c.Func != "?" {
				table.Add("  created at", name(c.Frame), ui.Count(c.N), "", "", "")
			}
		}
	}
	table.Write(t.Screen)
	t.more(len(list)-report.Shown, "place")
	t.Printf("\n")
	t.Paragraph("  ", "Created is the number of those that were created while the trace was taken, ended that of the waits at the place that "+
		"have ended.")
}

func (t text) latency(w report.Waiting) {
	all := w.Latency.All
	if all.N == 0 {
		return
	}
	t.heading(sections["latency"])
	t.fact("goroutines", "waited %s in all for a P, %s: median %s, 99 %% %s, longest %s; they ran %s", ui.Duration(all.Sum),
		ui.Counted(all.N, "time", "times"), ui.Duration(all.P50), ui.Duration(all.P99), ui.Duration(all.Max), ui.Duration(w.Running))
	places := slices.DeleteFunc(slices.Clone(w.Latency.Places), func(p report.LatencyPlace) bool { return p.How == "runtime" })
	if len(places) == 0 {
		return
	}
	t.Printf("\n")
	list := ui.Table{Left: 2}
	list.Add("after", "at", "times", "in all", "median", "99 %", "longest")
	for _, p := range places[:min(len(places), report.Shown)] {
		list.Add(p.How, name(p.Frame), ui.Count(p.Times.N), ui.Duration(p.Times.Sum), ui.Duration(p.Times.P50), ui.Duration(p.Times.P99),
			ui.Duration(p.Times.Max))
	}
	list.Write(t.Screen)
	t.more(len(places)-report.Shown, "place")
}

func assists(a report.Assist, n uint64) string {
	return fmt.Sprintf("%s for %s: worked %s, waited %s for credit, were ready for %s", ui.Counted(n, "time", "times"),
		ui.Duration(a.Worked+a.Waited+a.Ready), ui.Duration(a.Worked), ui.Duration(a.Waited), ui.Duration(max(a.Ready, time.Duration(0))))
}
