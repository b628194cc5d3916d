package allocs

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	r, err := fixtureSettings().Command(t.Context(), []string{file, "3"}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Runs[0].Rows {
		if row.Where.Function == "main.keep" && row.Kind == "make" {
			if row.Amount.Objects != 1000 || row.Amount.Bytes != 1000*3072 || row.Rate.Bytes <= 0 ||
				!strings.Contains(row.Why, "make([]byte, n) escapes to heap") {
				t.Errorf("%+v", row)
			}
			if len(r.Failures) != 1 || r.Failures[0].Problem != "exit status 3" {
				t.Errorf("%+v", r.Failures)
			}
			return
		}
	}
	t.Errorf("%+v", r.Runs[0].Rows)
}

func TestAProgramOfAnotherModuleIsToldWhereToRun(t *testing.T) {
	file := program(t)
	s := fixtureSettings()
	s.Dir = t.TempDir()
	r, err := s.Command(t.Context(), []string{file, "0"}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Runs[0].Rows {
		if row.Where.Function == "main.keep" && row.Kind == "new" {
			if !strings.Contains(row.Why, "run this in the module of the program") {
				t.Error(row.Why)
			}
			return
		}
	}
	t.Errorf("%+v", r.Runs[0].Rows)
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

// A writer is told that something was written.
type writer func()

func (w writer) Write(p []byte) (n int, err error) {
	w()
	return len(p), nil
}

func TestTheProfileIsOneForPprof(t *testing.T) {
	run := runNamed(t, reportOfFixture(t), "BenchmarkSend")
	var b bytes.Buffer
	if err := run.WriteProfile(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-sample_index=alloc_objects", "-traces", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"1000", "runtime.newobject", "fixture.send", "bytes:  24B"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}
