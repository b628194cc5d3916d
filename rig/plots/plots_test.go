package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample has six rounds of a load that gains and of one that loses in half of them.
func sample() string {
	var b strings.Builder
	b.WriteString("# machine: 2 cores of a test (kernel command line: a=b c)\n")
	for round := range 6 {
		for _, row := range []struct {
			load, subject string
			p50           int
		}{
			{"Phase/loop", "reference", 10_000}, {"Phase/loop", "threadcall", 200 + round},
			{"Phase/loop", "thread", 300}, {"Phase/lone_call_each_2_ms", "reference", 80_000},
			{"Phase/lone_call_each_2_ms", "thread", 88_000 - 10_000*(round%2)},
			{"Crowded/loop", "reference", 12_000}, {"Crowded/loop", "thread", 24_000},
		} {
			fmt.Fprintf(&b, "Benchmark%s/subject=%s 1 %d p50-ns %d mean-ns 1000 p99-ns 500 cpu-ns/op "+
				"90000 p90-late-ns\n", row.load, row.subject, row.p50, row.p50)
		}
		fmt.Fprintf(&b, "BenchmarkShort/subject=reference-2 9 20000 ns/op 21000 mean-ns\n"+
			"BenchmarkShort/subject=thread-2 9 40000 ns/op 43000 mean-ns 900 B/op\n")
	}
	return b.String()
}

// The table of many callers has the greater number of cores first, and the worse of both threads.
func TestByCores(t *testing.T) {
	m := new(measured)
	for _, n := range []int{2, 16} {
		for _, row := range []struct {
			load, subject string
			rate          int
		}{{"8_pairs", "reference", 100}, {"8_pairs", "thread", 90 * n},
			{"64_callers,_0_µs", "reference", 100}, {"64_callers,_0_µs", "thread", 80},
			{"64_callers,_0_µs", "threadcall", 120}, {"4_callers,_0_µs", "reference", 200}} {
			m.Read(fmt.Sprintf("BenchmarkCores%d/%s/subject=%s 1 %d calls/s 10 cpu-ns/op 20 mean-ns "+
				"30 p99-ns\n", n, row.load, row.subject, row.rate))
		}
	}
	table := m.byCores()
	for _, line := range []string{
		"| load | 16 cores: channel | threadcall | 2 cores: channel | threadcall |\n",
		"| 4 callers, 0 µs | 200 calls/s; 0.010 µs | 0.000; 0.000; 0.000; 0.000 | 200 calls",
		"\n| 64 callers, 0 µs | 100 calls/s; 0.010 µs | 0.80; 1.00; 1.00; 1.00 | 100 calls",
		"\n| 8 pairs | 100 calls/s; 0.010 µs | 14; 1.00; 1.00; 1.00 | 100 calls/s; 0.010 µs | 1.80; ",
	} {
		if !strings.Contains(table, line) {
			t.Errorf("the table lacks\n%s\nit is\n%s", line, table)
		}
	}
}

func TestWrite(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	write("results", sample())
	page := "before\n<!-- make plots -->\nold\n<!-- end -->\nafter\n"
	write("README.md", page)
	m, err := read([]string{filepath.Join(root, "results")})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.write(root); err != nil {
		t.Fatal(err)
	}
	content := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first, all := content("README.md"), content("docs/speed.txt")
	for _, want := range []string{"before\n", "\nafter\n", "\n2 cores of a test. *Crowded*: ",
		// the own thread, which is worse
		"\ncalls without a pause | 10, 1.00, 0.50 | 0.30, 1.00, 0.50 | 0.030 | 1.00 | 1.00\n",
		"\na call every 2 ms | 80, 1.00, 0.50 | 83, 1.00, 0.50 | 1.04 | ",
		"\ncalls without a pause, crowded | 12, ",
		" | 21, -, - | 43, -, - | 2.05 | - | -\n"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	if strings.Contains(first, "old") {
		t.Error("the old table is still there")
	}
	want := "| loop, crowded | channel | 12 | 12 | 1.00 | 0.50 | 90 |"
	if !strings.Contains(all, want) {
		t.Errorf("no %q in\n%s", want, all)
	}
	for _, p := range figures {
		svg := content(filepath.Join("docs", p.file))
		d := xml.NewDecoder(strings.NewReader(svg))
		for err := error(nil); err != io.EOF; {
			if _, err = d.Token(); err != nil && err != io.EOF {
				t.Fatalf("%s: %v", p.file, err)
			}
		}
		for _, want := range []string{"prefers-color-scheme: dark", "var(--channel)", ">channel<",
			">loop<"} {
			if !strings.Contains(svg, want) {
				t.Errorf("%s: no %q", p.file, want)
			}
		}
	}
	write("README.md", "without a place")
	if err := m.write(root); err == nil {
		t.Error("a page without a place for the table is no error")
	}
	if _, err := read([]string{filepath.Join(root, "README.md")}); err == nil {
		t.Error("a file without results is no error")
	}
}
