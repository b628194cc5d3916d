package demo

import (
	"fmt"
	"math"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A printer writes results for people.
type printer struct{ *ui.Screen }

func (p printer) fact(f fact) {
	p.Paragraph(p.mark(f.ok, 5)+"  ", p.Bold(f.claim))
	p.Paragraph("       expected  ", f.expected)
	seen := "seen"
	if !f.ok {
		seen = p.Red(seen)
	}
	p.Paragraph("       "+seen+"      ", f.seen)
	p.Printf("\n")
}

func (p printer) mark(ok bool, width int) string {
	if ok {
		return p.Green(fmt.Sprintf("%-*s", width, "ok"))
	}
	return p.Red(fmt.Sprintf("%-*s", width, "WRONG"))
}

func (p printer) measuring(sample time.Duration) {
	p.Printf("%s\n\n", p.Bold("2. What a call costs"))
	p.Paragraph("", `The article "Scheduling Function Calls with Zero Allocation" (2021) has three
		designs in which one goroutine receives functions on a channel: naive, pooled and struct. It
		measured them with a goroutine that is locked to no thread: the first half of the table. A
		program that needs its main thread pays for the second half.`)
	p.Printf("\n")
	p.Paragraph("", fmt.Sprintf("Times are medians of %d rounds, each in an order of its own, with "+
		"%v of "+
		"calls to a sample. This takes about %v.", rounds, sample,
		max((9*(rounds+1)*sample).Round(time.Second), time.Second)))
	p.Printf("\n")
}

// results prints all that follows from the measurements.
func (p printer) results(rows []row) {
	t := &ui.Table{Left: 1}
	t.Add("", "unlocked", "min..max", "main thread", "min..max", "B/op", "allocs/op")
	for _, r := range rows {
		cells := []string{r.name, "-", "", "-", "", "", ""}
		for i, c := range []*cell{r.unlocked, r.main} {
			if c == nil {
				continue
			}
			cells[1+2*i], cells[2+2*i] = ui.Duration(c.time().median), limits(c.time())
			if c.open != nil {
				cells[5], cells[6] = count(c.bytes), count(c.objects)
			}
		}
		t.Add(cells...)
	}
	t.Write(p.Screen)
	p.Printf("\n")
	p.Paragraph("unlocked    ", "The thread is any that runs a goroutine that is not locked.")
	p.Paragraph("direct      ", "The same function is called where its caller is.")
	p.Paragraph("bound       ", "Two threads pass one word back and forth: the least that a call "+
		"between threads can take, if both have a "+
		"core to themselves. It is missing where two threads cannot run at the same time.")
	p.Paragraph("threadcall  ", "It always serves a thread.")
	p.Printf("\n")
	p.verdict(rows)
	p.Printf("\n")
}

func (p printer) verdict(rows []row) {
	own, bound := rows[4].main, rows[5].main
	best := rows[1]
	for _, r := range rows[2:4] {
		if r.main.time().median < best.main.time().median {
			best = r
		}
	}
	between := func(s spread) string { return ui.Digits(s.min) + " to " + ui.Digits(s.max) }
	times, unlocked := best.main.over(own), best.main.over(best.unlocked)
	p.Paragraph("", fmt.Sprintf("On the main thread, threadcall is %s times as fast as %s, the best "+
		"of the others (the "+
		"median of the rounds; they have %s).", p.Bold(ui.Digits(times.median)), best.name,
		between(times)))
	if bound != nil {
		b := bound.time()
		p.Paragraph("", fmt.Sprintf("It takes %s times as long as the lower bound where that was "+
			"lowest, at %s.", ui.Digits(own.time().median/b.min), ui.Duration(b.min)))
	}
	p.Paragraph("", fmt.Sprintf("On an unlocked goroutine, %s appears %s times as fast as it is on "+
		"the main thread (%s).",
		best.name, ui.Digits(unlocked.median), between(unlocked)))
}

// closing prints whether all is as expected, and returns it.
func (p printer) closing(facts []fact) (ok bool) {
	var wrong []fact
	for _, f := range facts {
		if !f.ok {
			wrong = append(wrong, f)
		}
	}
	if len(wrong) == 0 {
		p.Printf("%s  %d of %d facts are as expected.\n", p.mark(true, 0), len(facts), len(facts))
		return true
	}
	p.Printf("%s  %d of %d facts are not as expected:\n", p.mark(false, 0), len(wrong), len(facts))
	for _, f := range wrong {
		p.Paragraph("       ", f.claim)
	}
	return false
}

// limits writes the ends of s in the unit of its median.
func limits(s spread) string {
	unit := 1.0
	switch {
	case s.median >= 999.5e6:
		unit = 1e9
	case s.median >= 999.5e3:
		unit = 1e6
	case s.median >= 999.5:
		unit = 1e3
	}
	return ui.Digits(s.min/unit) + ".." + ui.Digits(s.max/unit)
}

// count writes x without a fraction if the fraction is within the runtime's own allocations.
func count(x float64) string {
	if whole := math.Round(x); math.Abs(x-whole) < 0.02*whole+0.02 {
		return ui.Number(whole)
	}
	return ui.Digits(x)
}
