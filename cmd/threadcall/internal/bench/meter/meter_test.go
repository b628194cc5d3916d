package meter

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

const source = `package m

import (
	"flag"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if r := testing.Benchmark(func(b *testing.B) { work(1000) }); len(r.Extra) > 0 {
		panic("a benchmark that is not for the output has other figures")
	}
	os.Exit(m.Run())
}

var sink uint64

func work(n int) {
	x := uint64(n) | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 {
		sink = x
	}
}

func BenchmarkWorks(b *testing.B) {
	for range b.N {
		work(1000000)
	}
}

func BenchmarkLoops(b *testing.B) {
	work(100000000)
	for b.Loop() {
		work(1000000)
	}
}

func BenchmarkSleeps(b *testing.B) {
	for range b.N {
		time.Sleep(time.Millisecond)
	}
}

func BenchmarkStops(b *testing.B) {
	for range b.N {
		b.StopTimer()
		work(10000000)
		b.StartTimer()
		work(1000000)
	}
}

func BenchmarkResets(b *testing.B) {
	work(100000000)
	b.ResetTimer()
	for range b.N {
		work(1000000)
	}
}

func BenchmarkThreads(b *testing.B) {
	for range b.N {
		var all sync.WaitGroup
		for range 4 {
			all.Add(1)
			go func() {
				runtime.LockOSThread() // for a thread of its own, which ends
				work(1000000)
				all.Done()
			}()
		}
		all.Wait()
	}
}

func BenchmarkReports(b *testing.B) {
	for range b.N {
		work(1000000)
	}
	b.ReportMetric(3, "x/op")
}
`

// build compiles the benchmarks with the overlay.
func build(t *testing.T) *gotest.Binary {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.24\n", "m_test.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree := gotest.Tree{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS="), Flags: []string{"-trimpath"}}
	_, root, err := tree.Toolchain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file, err := Overlay(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "m.exe")
	if err := tree.Build(t.Context(), gotest.Package{ImportPath: "m"}, binary, "-overlay", file); err != nil {
		t.Fatal(err)
	}
	return &gotest.Binary{Path: binary, Dir: dir, Env: os.Environ()}
}

// values returns those of each benchmark by their units.
func values(t *testing.T, b *gotest.Binary, args ...string) map[string]map[string]float64 {
	t.Helper()
	r, err := b.Run(t.Context(), time.Minute, append([]string{"-test.run=^$", "-test.benchtime=10x", "-test.benchmem", "-test.cpu=1"}, args...)...)
	if err != nil || r.Failure != "" {
		t.Fatalf("%v\n%s", err, r.Output)
	}
	all := map[string]map[string]float64{}
	lines, _, _ := gotest.ParseResults(r.Stdout)
	for _, l := range lines {
		of := map[string]float64{}
		for _, v := range l.Result.Values {
			of[v.Unit] = v.Value
		}
		all[l.Result.Name.String()] = of
	}
	return all
}

func TestCPUTimeIsThatOfTheTimedPart(t *testing.T) {
	if runtime.GOOS == "plan9" || runtime.GOOS == "windows" {
		t.Skip("its clock of CPU time, if there is one, has a resolution of 15 ms")
	}
	b := build(t)
	all := values(t, b, "-test.bench=.")
	if len(all) != 7 {
		t.Fatalf("%d benchmarks: %v", len(all), all)
	}
	cpu := map[string]float64{}
	wrong := ""
	for range 10 {
		if wrong = outside(all, cpu); wrong == "" {
			break
		}
		all = values(t, b, "-test.bench=.")
	}
	if wrong != "" {
		t.Error(wrong)
	}
	if all["Reports"]["x/op"] != 3 {
		t.Errorf("a metric of the benchmark's own is lost: %v", all["Reports"])
	}
	for name, of := range all {
		if runtime.GOOS == "linux" && of[Threads] == 0 {
			t.Errorf("%s does not report threads: %v", name, of)
		}
	}
}

// outside reports a benchmark whose CPU time is not that of its timed part. Other processes make the same work take more CPU
// time, by caches and the hypervisor, and never less: cpu has the least of all runs so far.
func outside(all map[string]map[string]float64, cpu map[string]float64) string {
	for name, of := range all {
		if x, ok := cpu[name]; !ok || of["cpu-sec/op"] < x {
			cpu[name] = of["cpu-sec/op"]
		}
	}
	work := cpu["Works"]
	if work <= 0 {
		return "no CPU time"
	}
	// The work outside of the timed part is at least ten times that within it.
	for _, name := range []string{"Loops", "Stops", "Resets", "Reports"} {
		if got := cpu[name]; got < work/3 || got > 3*work {
			return fmt.Sprintf("%s: %g s, the same work takes %g", name, got, work)
		}
	}
	if cpu["Sleeps"] > 0.5e-3 { // of the millisecond that it sleeps
		return fmt.Sprintf("a benchmark that sleeps for a millisecond: %g s", cpu["Sleeps"])
	}
	return ""
}

// packageTesting returns the text of benchmark.go.
func packageTesting(t *testing.T) []byte {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	_, root, err := gotest.Tree{}.Toolchain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "src/testing/benchmark.go"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestNoLineGetsAnotherNumber(t *testing.T) {
	text := packageTesting(t)
	changed, err := instrument(text)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := bytes.Count(text, []byte("\n")), bytes.Count(changed, []byte("\n")); a != b {
		t.Errorf("%d lines, %d before", b, a)
	}
	for _, call := range []string{"start()", "stop()", "reset()", "begin()", "end()", "report(b)"} {
		if !bytes.Contains(changed, []byte("b.threadcall."+call)) {
			t.Errorf("%s is not called", call)
		}
	}
}

func TestAnotherPackageTestingIsRefused(t *testing.T) {
	text := packageTesting(t)
	for _, part := range []string{"b.start = ", "b.duration += ", "b.duration = 0", "B struct", "b.result = ", "b.ResetTimer()"} {
		other := strings.ReplaceAll(string(text), part, "other"+part)
		if _, err := instrument([]byte(other)); err == nil {
			t.Errorf("without %q: accepted", part)
		}
	}
}
