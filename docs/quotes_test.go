package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

// programs are the main functions of pages, which tests run in processes of their own.
var programs = map[string]func(){}

func TestMain(m *testing.M) {
	if main := programs[os.Getenv("THREADCALL_PROGRAM")]; main != nil {
		main()
		return
	}
	mainthread.Init(func() { os.Exit(m.Run()) })
}

// TestPages_quoteTests checks that the code of the pages that have no other test is that of tests,
// but for where its lines begin.
func TestPages_quoteTests(t *testing.T) {
	tests := "\n"
	for _, dir := range []string{".", "../nativeloop"} {
		names, _ := filepath.Glob(dir + "/*_test.go")
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tests += flat(string(text))
		}
	}
	for _, page := range []string{"docs/ends.md", "docs/traps.md"} {
		compared := 0
		for _, b := range blocks(t, page, "", "") {
			if b.language != "go" {
				continue
			}
			for piece := range strings.SplitSeq(b.text, "\n\n") {
				compared++
				if !strings.Contains(tests, "\n"+flat(piece)) {
					t.Errorf("%s: no test has\n%s", page, piece)
				}
			}
		}
		if compared < 5 {
			t.Errorf("%s has %d pieces of code", page, compared)
		}
	}
}

// flat returns text without what is before and behind each line, and without marks for vet.
func flat(text string) string {
	flat := ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "//threadcall:") {
			flat += line + "\n"
		}
	}
	return flat
}
