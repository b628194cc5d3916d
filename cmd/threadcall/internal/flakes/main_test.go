package main

import (
	"slices"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

func TestTheTestsThatFailedAreFound(t *testing.T) {
	for output, want := range map[string][]string{
		"--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/b (0.1s)\n--- FAIL: TestAb (0s)\n    --- FAIL: TestA/c/d (0s)\nFAIL\n": {"TestA/b", "TestA/c/d", "TestAb"},
		"panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (2m0s)\n\t\tTestA/b (1s)\n\ngoroutine 1":               {"TestA/b"},
		"fatal error: all goroutines are asleep": {"exit status 2"},
	} {
		if got := culprits(&gotest.Result{Output: output, Failure: "exit status 2"}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
