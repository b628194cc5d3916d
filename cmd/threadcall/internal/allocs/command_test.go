package allocs

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program.exe")
	if out, err := exec.Command("go", "build", "-o", file, "./testdata/program").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

func TestACommandIsReportedAltogether(t *testing.T) {
	file := program(t)
	for _, c := range []struct{ dir, status, kind, why string }{
		{fixture, "3", "make", "make([]byte, n) escapes to heap"},
		{t.TempDir(), "0", "new", "run this in the module of the program"},
	} {
		s := fixtureSettings()
		s.Dir = c.dir
		r, err := s.Command(t.Context(), []string{file, c.status}, io.Discard, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Runs[0].Rows, func(row Row) bool { return row.Where.Function == "main.keep" && row.Kind == c.kind })
		if i < 0 || !strings.Contains(r.Runs[0].Rows[i].Why, c.why) {
			t.Fatalf("row %d of %+v", i, r.Runs[0].Rows)
		}
		row := r.Runs[0].Rows[i]
		if c.kind == "make" && (row.Amount.Objects != 1000 || row.Amount.Bytes != 1000*3072 || row.Rate.Bytes <= 0) {
			t.Errorf("%+v", row)
		}
		if c.status != "0" && (len(r.Failures) != 1 || r.Failures[0].Problem != "exit status "+c.status) {
			t.Errorf("%+v", r.Failures)
		}
	}
}

func TestAnInterruptOfACommandIsCalledSo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupt can be sent there")
	}
	file := program(t)
	ctx, interrupt := context.WithCancel(t.Context())
	s := fixtureSettings()
	r, err := s.Command(ctx, []string{file, "wait"}, io.Discard, writer(func() { interrupt() }))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) != 1 || r.Failures[0].Problem != "interrupted" {
		t.Errorf("%+v", r.Failures)
	}
}

// A writer is called when something was written.
type writer func()

func (w writer) Write(p []byte) (n int, err error) {
	w()
	return len(p), nil
}
