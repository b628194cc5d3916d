package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	maybeRunJob()
	mainthread.Init(func() { os.Exit(m.Run()) })
}

var wrong = regexp.MustCompile(`NaN|[+-]Inf\b|%!`)

func TestEveryExperimentMakesASection(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for some seconds")
	}
	page, files, err := perform(t.Context(), quick, regexp.MustCompile(""))
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
		if section, _, _ = strings.Cut(section, "\n## "); !found || strings.Count(section, "| --- |") < 2 || !strings.Contains(section, "| the article says | as an interval | here |") {
			t.Errorf("%s: %s", e.name, section)
		}
		if !strings.Contains(string(documented), heading) {
			t.Errorf("docs/lab.md has no section %q; make lab writes it", e.title)
		}
	}
	if found := wrong.FindString(page); found != "" {
		t.Errorf("%q in the page:\n%s", found, page)
	}
	for name, content := range files {
		if !strings.Contains(page, "(lab/"+name+")") {
			t.Errorf("the page does not name %s", name)
		}
		if strings.HasSuffix(name, ".svg") {
			for d := xml.NewDecoder(bytes.NewReader(content)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		} else if p, err := profile.Parse(bytes.NewReader(content)); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if text := p.String(); strings.Contains(text, "/lab_test.go") || strings.Contains(text, os.Args[0]) {
			t.Errorf("%s has names of this machine: %s", name, text)
		}
	}
	if len(files) != 6 {
		t.Errorf("%d files, want three profiles and their flame graphs", len(files))
	}
	for _, row := range []string{
		"| 24 B in 1 | 24 B in 1 |", "| 80 B in 1 | 80 B in 1 |", "| 0 B | 0 B | no line | no line |",
		"| `moved to heap: res` | `moved to heap: res` |", "| `y does not escape` | `y does not escape` |",
	} {
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
