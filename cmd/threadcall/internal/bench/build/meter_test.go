package build

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

const source = `package m

import (
	"testing"
	"time"
)

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
	b.ReportMetric(3, "x/op")
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
`

// metered compiles the benchmarks with the overlay.
func metered(t *testing.T) *gotest.Binary {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.24\n",
		"m_test.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree := gotest.Tree{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=")}
	file, err := meter(goroot(t, tree), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "m.exe")
	err = tree.Build(t.Context(), gotest.Package{ImportPath: "m"}, binary, "-overlay", file)
	if err != nil {
		t.Fatal(err)
	}
	return &gotest.Binary{Path: binary, Dir: dir, Env: os.Environ()}
}

func goroot(t *testing.T, tree gotest.Tree) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	_, root, err := tree.Toolchain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestMeter(t *testing.T) {
	if runtime.GOOS == "plan9" || runtime.GOOS == "windows" {
		t.Skip("its clock of CPU time, if there is one, has a resolution of 15 ms")
	}
	b := metered(t)
	cpu := map[string]float64{}
	for n := range 10 { // others can only make the same work take more CPU time
		r, err := b.Run(t.Context(), time.Minute, "-test.run=^$", "-test.benchtime=10x",
			"-test.cpu=1", "-test.bench=.")
		if err != nil || r.Failure != "" {
			t.Fatalf("%v\n%s", err, r.Output)
		}
		lines, _, _ := gotest.ParseResults(r.Stdout)
		for _, l := range lines {
			name := l.Result.Name.String()
			x, _ := l.Result.Value("cpu-sec/op")
			if least, ok := cpu[name]; !ok || x < least {
				cpu[name] = x
			}
			threads, _ := l.Result.Value("runnable-threads")
			if metric, _ := l.Result.Value("x/op"); name == "Works" && metric != 3 ||
				runtime.GOOS == "linux" && threads == 0 {
				t.Errorf("threads, or a metric of the benchmark's own, are missing: %s", l.Text)
			}
		}
		// The work outside of the timed part is at least ten times the work within.
		right := cpu["Works"] > 0 && cpu["Sleeps"] < 0.5e-3 // of the millisecond that it sleeps
		for _, name := range []string{"Loops", "Stops"} {
			right = right && cpu[name] > cpu["Works"]/3 && cpu[name] < 3*cpu["Works"]
		}
		if right {
			return
		}
		if n == 9 {
			t.Errorf("seconds of CPU time: %v", cpu)
		}
	}
}

func TestInstrument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(goroot(t, gotest.Tree{}), "src/testing/benchmark.go"))
	if err != nil {
		t.Fatal(err)
	}
	changed, err := instrument(text)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := bytes.Count(text, []byte("\n")), bytes.Count(changed, []byte("\n")); a != b {
		t.Errorf("%d lines, %d before", b, a)
	}
	// Another version of package testing is refused.
	for _, part := range []string{"b.start = ", "b.duration += ", "b.duration = 0", "B struct",
		"b.result = ", "b.ResetTimer()"} {
		if _, err := instrument(bytes.ReplaceAll(text, []byte(part), nil)); err == nil {
			t.Errorf("without %q: accepted", part)
		}
	}
}
