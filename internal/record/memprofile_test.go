package record_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/record"
)

func TestMain(m *testing.M) {
	runtime.MemProfileRate = 1
	os.Exit(m.Run())
}

var kept [][]int64

//go:noinline
func keep(n int) {
	for i := range n {
		kept = append(kept, make([]int64, 8+i%2*8))
	}
}

func read(t *testing.T) *record.Profile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p")
	if err := record.Write(path, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	p, err := record.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// made returns the objects of size that keep has made.
func made(p *record.Profile, size int64) (objects int64, callee string) {
	for _, r := range p.Records {
		for i, at := range r.Stack {
			if strings.HasSuffix(p.Frames[at].Function, ".keep") && r.Bytes == r.Objects*size {
				if via := p.Frames[r.Stack[i-1]].Function; via == "runtime.makeslice" {
					objects += r.Objects
					callee = via
				}
			}
		}
	}
	return objects, callee
}

func TestEveryObjectIsCountedByTheRuntimeFunctionThatMadeIt(t *testing.T) {
	kept = nil
	before := read(t)
	keep(1000)
	after := read(t)
	for _, size := range []int64{64, 128} {
		n0, _ := made(before, size)
		n1, via := made(after, size)
		if n1-n0 != 500 || via != "runtime.makeslice" {
			t.Errorf("%d objects of %d bytes by %q", n1-n0, size, via)
		}
	}
	if after.Objects-before.Objects < 1000 || after.Seconds < 1 || after.Go != runtime.Version() {
		t.Errorf("%d objects, %v s, %s", after.Objects-before.Objects, after.Seconds, after.Go)
	}
}

func TestAFileThatCannotBeMadeIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := record.Write(filepath.Join(dir, "no", "p"), time.Now()); err == nil {
		t.Error("no error")
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("left %v", files)
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":              "not a profile",
		"\x1f\x8b":      "not a profile",
		`{"Version":2}`: "version 2",
		`{"Version":1,"Records":[{"Stack":[3]}]}`: "damaged",
	} {
		if _, err := record.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheSourceIsOfWriteAlone(t *testing.T) {
	if !strings.Contains(record.Source, "\nfunc Write(path string, began time.Time) error {") ||
		strings.Count(record.Source, "\nfunc ") != 1 || strings.Contains(record.Source, "\ntype ") {
		t.Error(record.Source)
	}
}
