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

// TestProof checks that the tests that proof.md names exist. What follows a slash is a string in
// some test.
func TestProof(t *testing.T) {
	tests := strings.Join(slices.Collect(maps.Values(files(t, "_test.go"))), "\n")
	proof := files(t, "docs/proof.md")["docs/proof.md"]
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)(?:/(\\w+))?`").FindAllStringSubmatch(proof, -1)
	if len(named) < 40 {
		t.Errorf("proof.md names %d tests", len(named))
	}
	for _, n := range named {
		if !strings.Contains(tests, "\nfunc "+n[1]+"(") {
			t.Errorf("proof.md names %s, which does not exist", n[1])
		}
		if part := strings.ReplaceAll(n[2], "_", " "); !strings.Contains(tests, `"`+part+`"`) {
			t.Errorf("proof.md names %s of %s, which does not exist", part, n[1])
		}
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
