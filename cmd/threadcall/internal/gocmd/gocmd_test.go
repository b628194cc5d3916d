package gocmd

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// run runs the go command for real.
func run(t *testing.T, ctx context.Context, args ...string) ([]byte, error) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	return Output(ctx, exec.CommandContext(ctx, "go", args...))
}

func TestPackagesAreListed(t *testing.T) {
	out, err := run(t, t.Context(), "list", "-json=ImportPath", "io", "sort")
	if err != nil {
		t.Fatal(err)
	}
	type p struct{ ImportPath string }
	got, err := Packages[p](out)
	if err != nil || !slices.Equal(got, []p{{"io"}, {"sort"}}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Packages[p](out[:len(out)/2]); err == nil {
		t.Error("half of it is no error")
	}
}

func TestComplaintsAreInTheError(t *testing.T) {
	_, err := run(t, t.Context(), "list", "-json", "io", "no/such/package")
	if err == nil || !strings.HasPrefix(err.Error(), "go list: ") || !strings.Contains(err.Error(), "no/such/package") {
		t.Error(err)
	}
	if err != nil && strings.Contains(err.Error(), "ImportPath") {
		t.Error("what it has listed is in the error:", err)
	}
}

func TestTheEndOfTheContextIsTheError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := run(t, ctx, "version"); err != context.Canceled {
		t.Error(err)
	}
}

func TestWithoutTheGoCommandItSaysSo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Output(t.Context(), exec.CommandContext(t.Context(), "go", "version"))
	if err == nil || !strings.Contains(err.Error(), "the go command is needed") {
		t.Error(err)
	}
}
