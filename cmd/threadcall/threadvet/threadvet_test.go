package threadvet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/threadcall/threadcall/cmd/threadcall/threadvet"
)

func TestReports(t *testing.T) {
	for _, pkg := range []string{"glfwgo", "lib", "marks"} {
		t.Run(pkg, func(t *testing.T) { analysistest.Run(t, analysistest.TestData(), threadvet.Analyzer, pkg) })
	}
}
