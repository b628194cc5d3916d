package rounds

import (
	"fmt"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// outcomeOf returns that of a version whose benchmarks take these times.
func outcomeOf(j *Job, version int, output string) *Outcome {
	o := &Outcome{Run: Run{Job: j, Version: version}}
	o.Lines, o.Units, _ = gotest.ParseResults(output)
	return o
}

func TestEachSubBenchmarkIsAJobAndAllVersionsDoTheSameIterations(t *testing.T) {
	old, new := &gotest.Binary{Path: "old"}, &gotest.Binary{Path: "new"}
	j := &Job{Package: "p", Benchmark: "BenchmarkX", Pattern: "^BenchmarkX$", CPU: "2", Versions: []*gotest.Binary{old, new}}
	a := outcomeOf(j, 0, "BenchmarkX/a.b-2 10 1000 ns/op\nBenchmarkX/slow/1-2 1 2e9 ns/op\nBenchmarkX/gone-2 1 1e6 ns/op\nBenchmarkX/bad-2 1 1 ns/op\nBenchmarkX/none-2 10 7 x/op\n")
	b := outcomeOf(j, 1, "BenchmarkX/a.b-2 10 3000 ns/op\nBenchmarkX/slow/1-2 1 2e9 ns/op\nBenchmarkX/fast-2 1 0.1 ns/op\nBenchmarkX/bad-2 1 1 ns/op\nBenchmarkX/none-2 10 7 x/op\n")
	b.Failed = []Failure{{"BenchmarkX/bad", "it fails"}}
	got := ""
	for _, one := range j.Split([]*Outcome{a, b}, time.Second) {
		got += fmt.Sprintln(one, one.Pattern, one.CPU, one.Iterations, one.Versions[0] == old, one.Versions[1] == new)
	}
	const want = `p.BenchmarkX/a.b ^BenchmarkX$/^a\.b$ 2 500000 true true
p.BenchmarkX/slow/1 ^BenchmarkX$/^slow$/^1$ 2 1 true true
p.BenchmarkX/gone ^BenchmarkX$/^gone$ 2 1000 true false
p.BenchmarkX/none ^BenchmarkX$/^none$ 2 0 true true
p.BenchmarkX/fast ^BenchmarkX$/^fast$ 2 1000000000 false true
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, one := range j.Split([]*Outcome{a}, 0) {
		if one.Iterations != 0 {
			t.Errorf("%s: %d iterations, but the settings decide", one, one.Iterations)
		}
	}
}

func TestIterationsDoNotDependOnOtherProcesses(t *testing.T) {
	j := &Job{Package: "p", Benchmark: "BenchmarkX", CPU: "2", Versions: []*gotest.Binary{{}}}
	for times, want := range map[string]string{
		"1000 ns/op": "1000000 1", // nothing else is known
		"1000 ns/op 1000 cpu-ns/op 1 runnable-threads":     "1000000 1",
		"4000 ns/op 1000 cpu-ns/op 1 runnable-threads":     "1000000 4", // it is ready for three quarters of the time
		"4000 ns/op 1000 cpu-ns/op 1.002 runnable-threads": "1000000 4",
		"10000 ns/op 1000 cpu-ns/op 1 runnable-threads":    "500000 5", // for too long
		"4000 ns/op 1000 cpu-ns/op 0.25 runnable-threads":  "250000 1", // it waits for something else
		"4000 ns/op 1000 cpu-ns/op 0.5 runnable-threads":   "333333 1.33",
		"1000 ns/op 2000 cpu-ns/op 2 runnable-threads":     "1000000 1", // two CPUs
	} {
		one := j.Split([]*Outcome{outcomeOf(j, 0, "BenchmarkX-2 10 "+times+"\n")}, time.Second)[0]
		if got := fmt.Sprintf("%d %.3g", one.Iterations, one.Stretch); got != want {
			t.Errorf("%s: %s, want %s", times, got, want)
		}
	}
}

// Names of sub-benchmarks can have anything in them.
func TestASubBenchmarkRunsAlone(t *testing.T) {
	j := job(t, "BenchmarkNames")
	o := do(t, once, j)
	jobs := j.Split([]*Outcome{o}, 0)
	if len(jobs) != 8 || len(o.Lines) != 8 {
		t.Fatalf("%v of %q", jobs, names(o.Lines))
	}
	for i, one := range jobs {
		if got := names(do(t, once, one).Lines); len(got) != 1 || got[0] != o.Lines[i].Result.Name.String() {
			t.Errorf("%s runs %q", one.Pattern, got)
		}
	}
}
