package main

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/internal/lab/paper"
)

// page is what lab.md says.
func page(set settings, machine machineReport, sections []section) string {
	var b strings.Builder
	b.WriteString("# The lab\n\n")
	b.WriteString(paper.Wrap("`make lab` makes the experiments of three articles about Go again, on the machine at hand, and writes this page " +
		"and its pictures. The text beside the numbers is chosen by the numbers, so that another run, on another machine, may say something else."))
	b.WriteString("\nThe articles are\n\n")
	b.WriteString("- " + calling + ": Changkun Ou, 2021, on an Apple M1. *The article* below, where nothing else is said\n")
	b.WriteString("- " + affinity + ": Vincent Blanchon, 2020, with Go 1.0.3 and Go 1.1.2\n")
	b.WriteString("- " + understanding + ": James Kirk, on eight processors\n")
	b.WriteString("\nThis run was made\n\n- with `" + set.commandLine() + "`\n")
	for _, line := range machine.text() {
		b.WriteString("- " + line + "\n")
	}
	b.WriteString("\n")
	if set.quick {
		b.WriteString("**A quick run: its times mean nothing.**\n\n")
	} else if machine.disturbed() {
		b.WriteString(paper.Wrap("**The machine had other work.** Ratios, which are taken within a round, suffer less from it than times do; " +
			"both suffer where calls wait for a thread to be woken."))
		b.WriteString("\n")
	}
	b.WriteString(paper.Wrap(fmt.Sprintf("Everything that is compared was measured in turns: %d rounds (fewer, but six at least, of what takes more than %.0f s), in each of which each "+
		"contender had its turn, in an order drawn anew. A number is the median of the rounds, with the interval that has the true median in it with a confidence of 95 %%, whatever the "+
		"distribution (golang.org/x/perf/benchmath). A ratio is the median of the ratios of the rounds. *Reproduced* and *not reproduced* are said of a "+
		"ratio only if all of its interval is on one side of what is claimed; of a single time, if it is within a factor of two of the article's, "+
		"whose machine was another. What traces say is from one run each, by `threadcall trace -json`.", set.rounds, full().limit.Seconds())))
	b.WriteString("\n" + summary(sections))
	for _, s := range sections {
		b.WriteString("\n" + s.text())
	}
	return b.String()
}

const (
	calling       = "[Scheduling Function Calls with Zero Allocation](https://golang.design/research/zero-alloc-call-sched)"
	affinity      = "[Go: Concurrency & Scheduler Affinity](https://medium.com/a-journey-with-go/go-concurrency-scheduler-affinity-3b678f490488)"
	understanding = "[Understanding Allocations in Go](https://medium.com/eureka-engineering/understanding-allocations-in-go-stack-heap-memory-9a2631b5035d)"
)

func (s settings) commandLine() string {
	line := "make lab"
	if s.quick || s.run != "" {
		line = "go run ./internal/lab"
	}
	if s.quick {
		line += " -quick"
	}
	if s.run != "" {
		line += " -run '" + s.run + "'"
	}
	if !s.quick && s.rounds != full().rounds {
		line += fmt.Sprintf(" -rounds %d", s.rounds)
	}
	return line
}
