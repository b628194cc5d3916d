// Package docs keeps what the documents say of the code true.
package docs

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// files returns the texts of the repository's files with the suffix.
func files(t *testing.T, suffix string) map[string]string {
	out, err := exec.Command("git", "-C", "..", "ls-files", "*"+suffix).Output()
	if err != nil {
		t.Skip("not a git checkout:", err)
	}
	texts := map[string]string{}
	for name := range strings.FieldsSeq(string(out)) {
		if text, err := os.ReadFile("../" + name); err == nil { // or it is removed and not yet committed
			texts[name] = string(text)
		}
	}
	return texts
}

// TestPages_nameTests checks that the tests that pages name exist. What follows a slash is a string
// in some test.
func TestPages_nameTests(t *testing.T) {
	tests := strings.Join(slices.Collect(maps.Values(files(t, "_test.go"))), "\n")
	named := regexp.MustCompile("`((?:Test|Fuzz|Example|Benchmark)\\w+)(?:/(\\w+))?`")
	count := 0
	for page, text := range files(t, ".md") {
		for _, n := range named.FindAllStringSubmatch(text, -1) {
			count++
			if !strings.Contains(tests, "\nfunc "+n[1]+"(") {
				t.Errorf("%s names %s, which does not exist", page, n[1])
			}
			if part := strings.ReplaceAll(n[2], "_", " "); !strings.Contains(tests, `"`+part+`"`) {
				t.Errorf("%s names %s of %s, which does not exist", page, part, n[1])
			}
		}
	}
	if count < 40 {
		t.Errorf("the pages name %d tests", count)
	}
}

// TestPages_nameCommands checks that targets of the Makefile and folders that pages name exist.
func TestPages_nameCommands(t *testing.T) {
	rules := files(t, "Makefile")["Makefile"]
	target := regexp.MustCompile("(?m)(?:`|^ *)make ([a-z0-9-]+)")
	folder := regexp.MustCompile(`(?m)go (?:run|test|install)[^|\n` + "`" + `]*? \./([\w./-]+)`)
	for page, text := range files(t, ".md") {
		for _, m := range target.FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`(?m)^[^#\t\n]*\b` + m[1] + `\b[^=\n]*:`).MatchString(rules) {
				t.Errorf("%s names make %s, which does not exist", page, m[1])
			}
		}
		if strings.HasPrefix(page, "cmd/") || strings.HasPrefix(page, "examples/") {
			continue // their folders are the reader's
		}
		for _, m := range folder.FindAllStringSubmatch(text, -1) {
			name := strings.TrimSuffix(strings.TrimSuffix(m[1], "..."), "/")
			if _, err := os.Stat("../" + name); err != nil {
				t.Errorf("%s: %s: %v", page, m[0], err)
			}
		}
	}
}

// TestPages_areShort has a ceiling for the words of the pages, as wc counts them.
func TestPages_areShort(t *testing.T) {
	sum := 0
	for name, text := range files(t, ".md") {
		words := len(strings.Fields(text))
		if most := map[string]int{"README.md": 1200, "docs/design.md": 3500,
			"docs/performance.md": 2000, "CHANGELOG.md": 300}[name]; most > 0 && words > most {
			t.Errorf("%s has %d words, more than %d", name, words, most)
		}
		sum += words
	}
	if sum > 20_000 {
		t.Errorf("README.md, docs and the pages of the folders have %d words, more than 20,000", sum)
	}
}

// TestLinks checks that links between documents lead to files, and to headings in them.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^():#]*)(#[^()]*)?\)`)
	texts := files(t, ".md")
	for name, text := range texts {
		for _, l := range link.FindAllStringSubmatch(text, -1) {
			to := name
			if l[1] != "" {
				to = path.Join(path.Dir(name), l[1])
			}
			if _, err := os.Stat("../" + to); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if l[2] != "" && !slices.Contains(anchors(texts[to]), l[2]) {
				t.Errorf("%s: %s has no heading %s", name, to, l[2])
			}
		}
	}
}

// anchors returns the anchors of the headings, as GitHub makes them.
func anchors(text string) (all []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		all = append(all, "#"+strings.ReplaceAll(plain, " ", "-"))
	}
	return all
}
