// Package docs keeps what the documents say of the code true.
package docs

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The names in proof.md are those of tests that exist, or it proves nothing. A part of a test, after the slash, is a
// string in some test.
func TestTheTestsThatProofNamesExist(t *testing.T) {
	text, err := os.ReadFile("proof.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := exec.Command("git", "-C", "..", "ls-files", "*_test.go").Output()
	if err != nil {
		t.Skip("not a git checkout:", err)
	}
	there, texts := map[string]bool{}, ""
	for name := range strings.FieldsSeq(string(files)) {
		source, err := os.ReadFile("../" + name)
		if err != nil {
			continue // removed, but not yet committed
		}
		for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllSubmatch(source, -1) {
			there[string(found[1])] = true
		}
		texts += string(source)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)(?:/(\\w+))?`").FindAllSubmatch(text, -1)
	if len(named) < 50 {
		t.Errorf("proof.md names %d tests", len(named))
	}
	for _, n := range named {
		if !there[string(n[1])] {
			t.Errorf("proof.md names %s, which does not exist", n[1])
		}
		if part := strings.ReplaceAll(string(n[2]), "_", " "); !strings.Contains(texts, `"`+part+`"`) {
			t.Errorf("proof.md names %s of %s, which does not exist", part, n[1])
		}
	}
}
