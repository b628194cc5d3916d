package main

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
)

// A result is what an experiment has found, and can say in Markdown.
type result interface {
	about() string // what was measured
	table() string
	picture() picture.Picture
	claims() []paper.Claim
	conclusion() string
}

// A tracedResult has a second table, of traces, and what there is to say to it.
type tracedResult interface {
	result
	traces() string
}

// A section is what the page says of an experiment.
type section struct {
	experiment
	result
	fewer int // rounds than was asked for; zero if they all were made
}

func (s section) text() string {
	about := s.about()
	if s.fewer > 0 {
		about += "\n" + paper.Wrap(fmt.Sprintf("There was time for %d rounds only.", s.fewer))
	}
	parts := []string{"## " + s.title + "\n", about, s.table(), fmt.Sprintf("![%s](lab/%s.svg)\n", s.shows, s.name)}
	if t, ok := s.result.(tracedResult); ok {
		parts = append(parts, t.traces())
	}
	return strings.Join(append(parts, paper.Claims(s.claims()), s.conclusion()), "\n")
}

// summary counts what became of the claims.
func summary(sections []section) string {
	verdicts := []paper.Verdict{paper.Reproduced, paper.Changed, paper.NotReproduced, paper.Undecided, paper.NotComparable}
	head := []string{"statements of the articles that are"}
	for _, v := range verdicts {
		head = append(head, string(v))
	}
	var rows [][]string
	for _, s := range sections {
		counts := map[paper.Verdict]int{}
		for _, c := range s.claims() {
			counts[c.Verdict]++
		}
		row := []string{"[" + s.title + "](#" + anchor(s.title) + ")"}
		for _, v := range verdicts {
			row = append(row, paper.Whole(counts[v]))
		}
		rows = append(rows, row)
	}
	return paper.Table(head, rows)
}

// anchor is what a heading's text becomes in a link.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}
