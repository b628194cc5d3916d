package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil/xvfb"
)

func TestEveryDesignIsMeasured(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("it would open windows on the screen of whoever runs it")
	}
	xvfb.Start(t)
	dir := t.TempDir()
	program, picture := filepath.Join(dir, "sixminutes"), filepath.Join(dir, "heap.svg")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	out, err := exec.Command(program, "-for", "2s", "-warm-up", "500ms", "-svg", picture, "-profile", filepath.Join(dir, "p")).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, d := range designs {
		if !strings.Contains(string(out), " "+d.title+" |") {
			t.Errorf("there is no column %q", d.title)
		}
		if info, err := os.Stat(filepath.Join(dir, "p."+d.name)); err != nil || info.Size() == 0 {
			t.Errorf("no profile of %s: %v", d.name, err)
		}
	}
	if !strings.Contains(string(out), "| mallocs a frame | 2.") {
		t.Errorf("the article's first design should allocate twice a frame:\n%s", out)
	}
	text, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	for d := xml.NewDecoder(text); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestGrowthIsBetweenCollections(t *testing.T) {
	r := result{Samples: []sample{
		{Heap: 100}, {Heap: 300}, {Heap: 350}, {Heap: 90, Collections: 1}, {Heap: 250, Collections: 1}, {Heap: 120, Collections: 2},
	}}
	if g := r.growth(); g != 250 {
		t.Errorf("it is %v", g)
	}
}

func TestBytesAreWrittenInAUnitThatFits(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 96: "96 B", 2048: "2.0 KiB", 1.41 * mib: "1.41 MiB", 0.32 * mib: "0.32 MiB"} {
		if got := bytes(n); got != want {
			t.Errorf("%v is written %q", n, got)
		}
	}
}

func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	for _, s := range []settings{
		{duration: time.Second, designs: "app"},
		{duration: time.Minute, designs: "app,other"},
		{duration: time.Minute, designs: ""},
		{duration: time.Minute, designs: "app", warmUp: -1},
	} {
		if s.validate() == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	if (settings{only: "other"}).one(io.Discard) == nil {
		t.Error("another design is accepted")
	}
}
