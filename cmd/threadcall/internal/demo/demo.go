// Package demo shows what threadcall promises and what it costs, on the machine that it runs on:
// facts about the main thread, each with what was expected and what was seen, and what a call takes
// by the designs of the article that threadcall starts from, and by threadcall.
package demo

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// rounds is how many samples of each row are taken.
const rounds = 9

// Run takes samples of that duration. It writes each result to out when it is there, and returns
// whether all facts are as expected. It must be called on a goroutine of a program whose main
// thread mainthread.Init serves.
func Run(sample time.Duration, out, progress *ui.Screen) (ok bool) {
	p := printer{out}
	p.Printf("%s  %s/%s, %s, %d CPUs, GOMAXPROCS=%d\n\n", p.Bold("threadcall demo"), runtime.GOOS,
		runtime.GOARCH, runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
	p.Printf("%s\n\n", p.Bold("1. Functions run on the thread they belong to"))
	p.Printf("Process %d. Its main thread is thread %s.\n\n", os.Getpid(), osthread.Main())
	all, wrong := 0, []fact(nil)
	for f := range perform(experiments, timeout) {
		p.fact(f)
		if all++; !f.ok {
			wrong = append(wrong, f)
		}
		if f.hung { // and so would the measurement
			return p.closing(all, wrong)
		}
	}
	rows := newRows()
	p.measuring(sample)
	measure(rows, rounds, sample, func(done, all int) {
		progress.Progress(fmt.Sprintf("%d of %d samples taken", done, all))
	})
	progress.Progress("")
	p.results(rows)
	return p.closing(all, wrong)
}

// A printer writes results for people.
type printer struct{ *ui.Screen }

func (p printer) fact(f fact) {
	mark, seen := p.Green("ok   "), "seen"
	if !f.ok {
		mark, seen = p.Red("WRONG"), p.Red(seen)
	}
	p.Paragraph(mark+"  ", p.Bold(f.claim))
	p.Paragraph("       expected  ", f.expected)
	p.Paragraph("       "+seen+"      ", f.seen)
	p.Printf("\n")
}

// closing prints whether all is as expected, and returns it.
func (p printer) closing(all int, wrong []fact) (ok bool) {
	if len(wrong) == 0 {
		p.Printf("%s  %d of %d facts are as expected.\n", p.Green("ok"), all, all)
		return true
	}
	p.Printf("%s  %d of %d facts are not as expected:\n", p.Red("WRONG"), len(wrong), all)
	for _, f := range wrong {
		p.Paragraph("       ", f.claim)
	}
	return false
}
