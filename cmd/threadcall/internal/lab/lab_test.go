package main

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	mainthread.Init(func() { os.Exit(m.Run()) })
}

var wrong = regexp.MustCompile(`NaN|[+-]Inf\b|%!`)

func TestLab(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for some seconds")
	}
	var out strings.Builder
	l := quick
	l.ctx, l.out = t.Context(), &out
	if err := l.perform(""); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	documented, err := os.ReadFile("../../../../docs/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		heading := "\n## " + e.title + "\n"
		if _, section, found := strings.Cut(page, heading); !found ||
			!strings.HasPrefix(section, "\n| ") {
			t.Errorf("%s: %s", e.name, section)
		}
		if !strings.Contains(string(documented), heading) {
			t.Errorf("docs/lab.md has no section %q", e.title)
		}
	}
	if found := wrong.FindString(page); found != "" {
		t.Errorf("%q in the page:\n%s", found, page)
	}
	rows := []string{
		"| 24 B in 1 | 24 B in 1 |", "| 80 B in 1 | 80 B in 1 | `&Nine{...} escapes to heap` |",
		"| 0 B in 0 | 0 B in 0 |  |  |", "| `moved to heap: res` | `moved to heap: res` |",
		"| `y does not escape` | `y does not escape` |", "| 2 KB | 2048 B",
	}
	if !testutil.Race { // with it, the scheduler draws the order
		rows = append(rows, "| alone | 0", "| then another is notified | 3")
	}
	for _, row := range rows {
		if (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") && !strings.Contains(page, row) {
			t.Errorf("no %q in the page:\n%s", row, page)
		}
	}
}

func TestRunSieve(t *testing.T) {
	if primes, messages := runSieve(10); primes != 4 || messages != 16 {
		t.Errorf("%d primes, %d messages", primes, messages)
	}
}
