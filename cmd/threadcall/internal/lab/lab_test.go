package main

import (
	"math"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	maybeRunJob()
	mainthread.Init(func() { os.Exit(m.Run()) })
}

var wrong = regexp.MustCompile(`NaN|Inf\b|%!`)

func TestEveryExperimentMakesASection(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for some seconds")
	}
	page, err := perform(t.Context(), quick, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	documented, err := os.ReadFile("../../../../docs/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		heading := "\n## " + e.title + "\n"
		_, section, found := strings.Cut(page, heading)
		if section, _, _ = strings.Cut(section, "\n## "); !found || strings.Count(section, "| --- |") < 2 || !strings.Contains(section, "| the article says | here |") {
			t.Errorf("%s: %s", e.name, section)
		}
		if !strings.Contains(string(documented), heading) {
			t.Errorf("docs/lab.md has no section %q; make lab writes it", e.title)
		}
	}
	if found := wrong.FindString(page); found != "" {
		t.Errorf("%q in the page:\n%s", found, page)
	}
	for _, row := range []string{"| 24 B in 1 | 24 B in 1 |", "| 80 B in 1 | 80 B in 1 |"} {
		if (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") && !strings.Contains(page, row) {
			t.Errorf("no %q in the page:\n%s", row, page)
		}
	}
}

func TestMessagesAreThoseThatTheSieveSends(t *testing.T) {
	for _, limit := range []int{2, 3, 10, 500} {
		sent := 0
		var primes []int
		for n := 2; n <= limit; n++ {
			divided := false
			for _, p := range primes {
				sent++ // to the goroutine of p
				if divided = n%p == 0; divided {
					break
				}
			}
			if !divided {
				sent++ // to the one that waits for the next prime
				primes = append(primes, n)
			}
		}
		if got := messagesOf(limit); got != sent || runSieve(limit) != len(primes) {
			t.Errorf("up to %d: %d messages, want %d; %d primes, want %d", limit, got, sent, runSieve(limit), len(primes))
		}
	}
}

func TestAVerdictNeedsTheWholeInterval(t *testing.T) {
	for _, test := range []struct {
		e            estimate
		below, above verdict
	}{
		{estimate{0.8, 0.7, 0.9}, reproduced, notReproduced},
		{estimate{1.2, 1.1, 1.3}, notReproduced, reproduced},
		{estimate{1.2, 0.9, 1.3}, inconclusive, inconclusive},
		{estimate{1.2, math.Inf(-1), math.Inf(1)}, inconclusive, inconclusive},
	} {
		if below, above := test.e.below(1), test.e.above(1); below != test.below || above != test.above {
			t.Errorf("%v: %s and %s, want %s and %s", test.e, below, above, test.below, test.above)
		}
	}
	if e := (series{5, 1, 4, 2, 3, 6, 7}).over(series{1, 1, 1, 1, 1, 1, 1}); e != (estimate{4, 1, 7}) {
		t.Errorf("%+v", e)
	}
}

func TestTablesAndParagraphs(t *testing.T) {
	if got, want := table([]string{"a", "b"}, [][]string{{"x|y", "1 ns"}}), "| a | b |\n| --- | ---: |\n| x\\|y | 1 ns |\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for line := range strings.Lines(wrap(strings.Repeat("word ", 100))) {
		if len(line) > 121 {
			t.Errorf("%d columns", len(line))
		}
	}
}
