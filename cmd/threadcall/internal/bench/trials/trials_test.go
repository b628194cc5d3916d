package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestVerdictsOfBenchstatAreRead(t *testing.T) {
	const table = `goos: linux
pkg: known.example/known
,old.txt,,new.txt,,,
,sec/op,CI,sec/op,CI,vs base,P
Same-2,1.872e-06,6%,1.8845e-06,1%,SAME,p=0.403 n=10
Slower-2,1.886e-06,2%,2.0635e-06,4%,SLOWER,p=0.000 n=10
geomean,1.87e-06,,1.97e-06,,+4.95%,
`
	for _, c := range []struct {
		same, slower string
		want         trial
	}{
		{"~", "+9.41%", trial{change: 0.0941}},
		{"-3.00%", "~", trial{falseAlarm: true, miss: true}},
		{"+3.00%", "-2.00%", trial{falseAlarm: true, miss: true, change: -0.02}},
	} {
		got, err := verdicts([]byte(strings.NewReplacer("SAME", c.same, "SLOWER", c.slower).Replace(table)))
		if err != nil || got != c.want {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	if _, err := verdicts([]byte(table[:strings.Index(table, "Slower")])); err == nil {
		t.Error("a table without Slower is no error")
	}
}

func TestVerdictsOfThreadcallAreRead(t *testing.T) {
	const document = `{"comparison": {"tables": [{"unit": "sec/op", "rows": [
		{"name": "Same-2", "deltas": [{}, {"verdict": "VERDICT", "estimate": 1.01}]},
		{"name": "Slower-2", "deltas": [{}, {"verdict": "worse", "estimate": 1.5}]}]}, {"unit": "B/op"}]}}`
	for verdict, alarm := range map[string]bool{"unseen": false, "better": true, "worse": true, "too few": false} {
		got, err := judged([]byte(strings.Replace(document, "VERDICT", verdict, 1)))
		if want := (trial{falseAlarm: alarm, change: 0.5}); err != nil || got != want {
			t.Errorf("%s: %+v, %v", verdict, got, err)
		}
	}
	if _, err := judged([]byte(`{"comparison": {}}`)); err == nil {
		t.Error("a document without rows is no error")
	}
}

func TestBothWaysCompareTheRevisions(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles commands and runs benchmarks")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	t.Setenv("GOWORK", "off")
	ways, err := prepare(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range ways {
		if _, err := w.compare(filepath.Join(dir, "scratch"+w.name[:2]), effort{6, "1ms"}); err != nil {
			t.Errorf("way %d: %v", i, err)
		}
	}
}

func TestTheLoadEndsWithItsInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beLoad(1, time.Millisecond)
	}()
	w.Close()
	<-ended
}

func TestTheTableCountsWhatWasWrong(t *testing.T) {
	var out bytes.Buffer
	ways := []way{{name: "a"}, {name: "b"}}
	describe(&out, ways, []trial{
		{way: "a", falseAlarm: true, change: 0.1, took: time.Second}, {way: "a", change: 0.12, took: 3 * time.Second},
		{way: "b", miss: true}, {way: "b", miss: true},
	}, 2, 7, time.Second, effort{10, "20ms"})
	for _, want := range []string{
		"| a | 1 of 2 (50 %) | 0 of 2 (0 %) | +11.0 % | 2.0 |",
		"| b | 0 of 2 (0 %) | 2 of 2 (100 %) | none found | 0.0 |",
		"seed 7", "changes every 1s",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("has no %q:\n%s", want, out.String())
		}
	}
}
