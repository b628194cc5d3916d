package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
)

// allocsIn runs the command in the module of known allocations.
func allocsIn(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"allocs"}, args...)...)
	cmd.Dir = filepath.Join("internal", "allocs", "testdata", "fixture")
	cmd.Env = append(os.Environ(), asCommand+"=1", "GOWORK=off", "GOFLAGS=")
	return output(t, cmd)
}

func TestAllocsTellsWhereHowMuchAndWhy(t *testing.T) {
	html := filepath.Join(t.TempDir(), "allocs.html")
	stdout, stderr, status := allocsIn(t, "-bench", "Inlined", "-benchtime", "100x", "-html", html)
	if status != statusOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"BenchmarkInlined", "bytes/op", "24", "fixture.helper", "escapes to heap"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("has no %q:\n%s", want, stdout)
		}
	}
	if page, err := os.ReadFile(html); err != nil || !strings.Contains(string(page), "fixture.helper") {
		t.Errorf("page %v:\n%s", err, page)
	}
}

func TestAllocsJSONIsOneDocument(t *testing.T) {
	stdout, stderr, status := allocsIn(t, "-bench", "Inlined|Send", "-benchtime", "100x", "-json")
	if status != statusOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	var r allocs.Report
	if err := dec.Decode(&r); err != nil {
		t.Fatal(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Errorf("something follows: %v", err)
	}
	if len(r.Runs) != 2 || r.Runs[0].Name != "BenchmarkSend" || len(r.Runs[0].Rows) == 0 || len(r.Runs[0].Rows[0].Escapes) != 1 {
		t.Errorf("%+v", r.Runs)
	}
}

func TestABrokenPromiseIsAStatus(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for coverage")
	}
	stdout, stderr, status := allocsIn(t, "-budget", "-benchtime", "100x", "./promises/...")
	if status != statusWrong || !strings.Contains(stderr, "not all functions that promise not to allocate keep it") ||
		!strings.Contains(stdout, "BROKEN promises/promises.go:") {
		t.Errorf("status %d, stderr %q, stdout\n%s", status, stderr, stdout)
	}
}

func TestAllocsRefusesNonsense(t *testing.T) {
	for _, c := range []struct {
		args, complaint string
		status          int
	}{
		{"-bench [", `-bench "[": error parsing regexp`, statusUsage},
		{"-benchtime 1x", "at least 2x", statusUsage},
		{"-benchtime soon", "such as 200ms", statusUsage},
		{"-benchtime -3s", "such as 200ms", statusUsage},
		{"-count 0 -run .", "-count must be at least 1, not 0", statusUsage},
		{"-count 3", "-count is for the tests of -run", statusUsage},
		{"-cpu 0", "-cpu must be at least 1, not 0", statusUsage},
		{"-top -1", "-top must not be negative", statusUsage},
		{"-budget -run .", "-budget is for benchmarks", statusUsage},
		{"-bench= .", "nothing to run", statusUsage},
		{"--", "the command after -- is missing", statusUsage},
		{". -- ls", "exclude each other", statusUsage},
		{"-bench . -- ls", "-bench is for benchmarks and tests", statusUsage},
		{"-bench Nowhere .", `no benchmark matches "Nowhere"`, statusWrong},
		{"./nowhere", "nowhere", statusWrong},
		{"./broken", "undefined: nowhere", statusWrong},
		{"-- ./nowhere", "nowhere", statusWrong},
		{"-- go version", "left no profile", statusWrong},
		{"-bench Send|Grow -benchtime 2x -pprof x .", "and 2 ran", statusWrong},
		{"-bench Send -benchtime 2x -html nowhere/x .", "nowhere", statusWrong},
	} {
		_, stderr, status := allocsIn(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(stderr, c.complaint) || strings.Contains(stderr, "--help") != (status == statusUsage) {
			t.Errorf("%s: status %d, stderr %q", c.args, status, stderr)
		}
	}
}
