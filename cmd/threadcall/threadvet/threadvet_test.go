package threadvet_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/threadcall/threadcall/cmd/threadcall/threadvet"
)

// reports does not expect facts of packages: packages whose source go test generates have them too.
type reports struct{ t *testing.T }

func (r reports) Errorf(format string, args ...any) {
	r.t.Helper()
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, "unexpected fact: {package ") {
		r.t.Error(text)
	}
}

// Each package of testdata has what is reported there, and what is known of its functions elsewhere, in comments.
func TestTheReportsAreThoseThatCommentsWant(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the packages of the standard library that net/http imports")
	}
	analysistest.Run(reports{t}, analysistest.TestData(), threadvet.Analyzer,
		"glfwgo", "sdlmain", "cocoa", "fynego", "lib", "marks", "whole", "waits",
		"unlocked", "lockedlater", "lockedby", "noinit", "noinitgo", "noinitgroup", "noinitlib",
		"noinitbound", "noinitpost", "noinitneeded", "withserve", "testforgets", "testinits", "testnomain", "testnomaingo")
}
