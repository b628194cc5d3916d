package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var text strings.Builder
	text.WriteString("goos: linux\nUnit p99-ns better=lower\n")
	for round := range 6 {
		fmt.Fprintf(&text, "# threadcall run x round %d\n", round+1)
		machine := 1 << round // as fast in each round as it likes
		for _, b := range []struct {
			name string
			ns   int
		}{
			{"Hot/subject=reference-2", 1000}, {"Hot/subject=thread-2", 20}, {"Hot/subject=bound-2", 10},
			{"Idle/subject=reference-2", 100}, {"Idle/subject=thread-2", 120},
			{"Burst/n=2/subject=reference", 100}, {"Burst/n=2/subject=thread", 90 + 20*(round%2)},
		} {
			fmt.Fprintf(&text, "Benchmark%s \t 100\t %d ns/op\t 0 B/op\n", b.name, machine*b.ns)
		}
	}
	file := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(file, []byte(text.String()+"PASS\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(&out, file, []string{"reference", "bound"}, "ns/op|p99-ns"); err != nil {
		t.Fatal(err)
	}
	const want = `                    reference  bound
subject  load       ns/op      ns/op
thread   Idle       1.2        
thread   Hot        0.02       2
thread   Burst/n=2  ~1         
~: the ratio may be 1
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if err := os.WriteFile(file, []byte("PASS\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(&out, file, nil, "."); err == nil {
		t.Error("a file without results is no error")
	}
}
