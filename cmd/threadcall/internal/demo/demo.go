// Package demo shows what threadcall promises and what it costs, on the machine that it runs on:
// facts about the main thread, each with what was expected and what was seen, and what a call takes
// by the designs of the article that threadcall starts from, and by threadcall.
package demo

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// timeout is how long an experiment may take: a thousand times what the slowest needs.
const timeout = 10 * time.Second

// Run takes samples of that duration. It writes each result to out when it is there, and returns
// whether all facts are as expected. It must be called on a goroutine of a program whose main
// thread mainthread.Init serves.
func Run(sample time.Duration, out *ui.Screen) (ok bool) {
	p := printer{out}
	p.Printf("%s  %s/%s, %s, %d CPUs, GOMAXPROCS=%d\n\n", p.Bold("threadcall demo"), runtime.GOOS,
		runtime.GOARCH, runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
	p.Printf("%s\n\n", p.Bold("1. Functions run on the thread they belong to"))
	p.Printf("Process %d. Its main thread is thread %s.\n\n", os.Getpid(), mainThread())
	all, wrong, hung := p.facts(experiments, timeout)
	if !hung { // the measurement would hang as well
		p.costs(sample)
	}
	if wrong > 0 {
		p.Printf("%s  %d of %d facts are not as expected.\n", p.Red("WRONG"), wrong, all)
		return false
	}
	p.Printf("%s  %d of %d facts are as expected.\n", p.Green("ok"), all, all)
	return true
}

// A printer writes results for people.
type printer struct{ *ui.Screen }

// facts makes the experiments one after the other, and prints what each has shown. One that does
// not end within the timeout is wrong, and the last: others would wait for the same thread.
func (p printer) facts(experiments []experiment, timeout time.Duration) (all, wrong int,
	hung bool) {
	for _, e := range experiments {
		ended := make(chan [2]string, 1)
		go func() {
			result := [2]string{"an answer", "the end of the goroutine that asked"}
			defer func() { ended <- result }() // also if the experiment calls Goexit
			result[0], result[1] = e.do()
		}()
		var expected, seen string
		select {
		case result := <-ended:
			expected, seen = result[0], result[1]
		case <-time.After(timeout):
			expected, seen, hung = "an answer", fmt.Sprintf("none in %v", timeout), true
		}
		mark, label := p.Green("ok   "), "seen"
		if all++; expected != seen {
			wrong++
			mark, label = p.Red("WRONG"), p.Red("seen")
		}
		p.Paragraph(mark+"  ", p.Bold(e.claim))
		p.Paragraph("       expected  ", expected)
		p.Paragraph("       "+label+"      ", seen)
		p.Printf("\n")
		if hung {
			break
		}
	}
	return all, wrong, hung
}
